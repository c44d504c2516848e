"""Trains on a vector environment, whose environments are the lanes of the simulation."""

import gymnasium

import retropg

mode = gymnasium.vector.AutoresetMode.DISABLED  # retropg says when and with which seed to reset
vector = gymnasium.make_vec("CartPole-v1", num_envs=4, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode})
run = retropg.train(vector, budget=60)
print(f"return {run.returns[0]:.0f} -> {run.returns[-1]:.0f} on {run.config['env.id']}")
vector.close()
