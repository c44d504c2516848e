"""One run, in a process of its own: run_one.py TASK METHOD SEED FILE."""

import pathlib
import sys

import protocol
import result_files


def peer_evaluations(task, method, seed):
    import training
    run = training.Training(task, seed)
    try:
        if method.name.startswith("cma-es"):
            import cma_es
            cma_es.train(run, diagonal=method.name == "cma-es-diagonal")
        else:
            import stable_baselines
            getattr(stable_baselines, method.name)(run)
    except training.Finished:
        return run.evaluations


def main(task_name, method_name, seed, file):
    task, method = protocol.TASKS[task_name], protocol.METHODS[method_name]
    if method.name == "retropg":
        import retropg_program
        evaluations = retropg_program.evaluations(task, int(seed))
    else:
        evaluations = peer_evaluations(task, method, int(seed))
    result_files.write(pathlib.Path(file), evaluations)


if __name__ == "__main__":
    main(*sys.argv[1:])
