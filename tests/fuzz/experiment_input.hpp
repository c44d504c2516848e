#pragma once

#include <string>

namespace retropg::test {

/// Small files of an experiment, in the order of the numbers with which inputs of the target begin: three of its
/// description, the plan of its results, and a curve.
inline constexpr const char* kExperimentFiles[] = {
    "[env]\nid = \"LQR\"\n[algo]\nbatch = 4\n",
    "title = \"T\"\nruns = 2\nbudget = 40\nthreshold = -3.0\nreference = \"a\"\nsweep = [\"algo.batch=4,8\"]\n"
    "pick_runs = 2\n[[arm]]\nlabel = \"a\"\nsettings = [\"algo.name=rpg\"]\n[[arm]]\nlabel = \"b\"\n"
    "settings = [\"algo.name=gpomdp\", \"algo.batch=8\"]\nbudget = 80\n[[figure]]\nname = \"f\"\naxis = \"used\"\n"
    "[[figure.panel]]\ntitle = \"P\"\narms = [\"a\", \"b\"]\n",
    "[[claim]]\nclaim = \"a is ahead\"\ncheck = \"ahead\"\ncandidate = \"a\"\nreference = \"b\"\nfactor = 1.5\n"
    "[[claim]]\nclaim = \"a is above\"\ncheck = \"above\"\ncandidate = \"a\"\nvalue = -4.0\nmeasure = \"end\"\n",
    "experiment = \"x\"\nkeep = \"policies\"\ntitle = \"T\"\nseeds = 2\nseed = 1\nversion = \"0.1.0\"\n"
    "[[arm]]\nlabel = \"a\"\nconfiguration = '''\n[env]\nid = \"LQR\"\n'''\n",
    "# 2 points, 8 steps, 0.5 s\ntrajectories,return_mean\n4,-1.5\n8,-1.25\n"};

}  // namespace retropg::test
