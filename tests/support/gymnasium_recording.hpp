#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "retropg/core/types.hpp"
#include "support/source_folder.hpp"

namespace retropg::test {

/// A step as tests/record/record_gymnasium.py wrote it.
struct RecordedStep {
  std::vector<double> action, observation;
  double reward = 0.0;
  bool terminated = false;
};

struct RecordedEpisode {
  std::vector<double> positions, velocities, observation;  // at the start
  std::vector<RecordedStep> steps;
};

struct Recording {
  std::string mujoco;  // the version it was made with
  Index observation_size = 0, action_size = 0, position_size = 0, velocity_size = 0;
  std::vector<RecordedEpisode> episodes;
};

inline std::vector<double> read_numbers(std::istream& file, Index count) {
  std::vector<double> result;
  for (std::string token; std::ssize(result) < count && file >> token;) result.push_back(std::stod(token));
  return result;
}

/// Reads the header's line of versions and gives MuJoCo's.
inline std::string read_mujoco_version(std::istream& file) {
  std::string comment, word, version;
  std::getline(file, comment);
  for (file >> word; file && word != "mujoco"; file >> word) {
  }
  file >> version >> word >> word;  // and NumPy's
  return version;
}

inline Recording read_recording(const std::string& id) {
  std::ifstream file(test::source_folder() / "tests" / "golden" / "mujoco" / (id + ".txt"));
  Recording result;
  result.mujoco = read_mujoco_version(file);
  std::string word;
  file >> word >> result.observation_size >> word >> result.action_size >> word >> result.position_size >> word >>
      result.velocity_size;
  while (file >> word) {
    if (word == "start") {
      result.episodes.push_back({.positions = read_numbers(file, result.position_size),
                                 .velocities = read_numbers(file, result.velocity_size),
                                 .observation = read_numbers(file, result.observation_size),
                                 .steps = {}});
    } else {
      RecordedStep step{.action = read_numbers(file, result.action_size),
                        .observation = read_numbers(file, result.observation_size)};
      file >> step.reward >> step.terminated;
      result.episodes.back().steps.push_back(std::move(step));
    }
  }
  EXPECT_TRUE(file.eof()) << id;
  return result;
}

}  // namespace retropg::test
