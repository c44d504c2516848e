#include "retropg/environment/mujoco/mujoco_block.hpp"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "retropg/core/error.hpp"
#include "retropg/environment/mujoco.hpp"
#include "retropg/environment/mujoco/model_files.hpp"

namespace retropg {
namespace {

/// MuJoCo's last warning in this thread, for compile_model. Warnings during a step are counted in mjData.
thread_local std::string last_warning;

/// A message of MuJoCo in one line.
std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// Whether this thread is in a call of ours: others in the process may use MuJoCo too.
thread_local bool calling = false;

/// Sets that for its own lifetime.
class Calling {
 public:
  Calling() : before_(std::exchange(calling, true)) {}
  ~Calling() { calling = before_; }
  Calling(const Calling&) = delete;
  Calling& operator=(const Calling&) = delete;

 private:
  bool before_;
};

void (*previous_error)(const char*) = nullptr;
void (*previous_warning)(const char*) = nullptr;

/// MuJoCo's error handler must not return. An exception may pass through MuJoCo: the ABI of x86-64 gives C functions
/// unwind tables too. What the simulation had reached is lost, so it is a failure of the run. In practice the error is
/// a lack of memory.
[[noreturn]] void on_error(const char* message) {
  if (calling) throw RunError("MuJoCo: " + one_line(message));
  if (previous_error != nullptr) previous_error(message);
  std::fprintf(stderr, "MuJoCo: %s\n", one_line(message).c_str());
  std::exit(EXIT_FAILURE);
}

void on_warning(const char* message) {
  if (calling) {
    last_warning = message;
  } else if (previous_warning != nullptr) {
    previous_warning(message);
  } else {
    std::fprintf(stderr, "MuJoCo: %s\n", one_line(message).c_str());
  }
}

/// Without handlers MuJoCo writes its messages to MUJOCO_LOG.TXT in the current folder.
void install_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    previous_warning = std::exchange(mju_user_warning, on_warning);
    previous_error = std::exchange(mju_user_error, on_error);
  });
}

mjModel* load(const std::string& xml, std::span<char> error) {
  constexpr const char* kFile = "model.xml";
  const auto files = std::make_unique<mjVFS>();  // 2 MB in old versions
  mj_defaultVFS(files.get());
#if mjVERSION_HEADER >= 320
  mj_addBufferVFS(files.get(), kFile, xml.data(), static_cast<int>(xml.size()));
#else
  mj_makeEmptyFileVFS(files.get(), kFile, static_cast<int>(xml.size()));
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), kFile)], xml.data(), xml.size());
#endif
  mjModel* model = mj_loadXML(kFile, files.get(), error.data(), static_cast<int>(error.size()));
  mj_deleteVFS(files.get());
  return model;
}

/// The compiled model of a file under models/, shared by the whole process.
std::shared_ptr<const mjModel> shared_model(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const mjModel>> models;
  const std::lock_guard lock(mutex);
  std::shared_ptr<const mjModel>& model = models[name];
  if (model == nullptr) model = compile_model(name, model_files().at(name));
  return model;
}

bool warned(const mjData& data) {
  return std::ranges::any_of(data.warning, [](const mjWarningStat& warning) { return warning.number > 0; });
}

}  // namespace

std::string mujoco_version() {
  return mj_versionString();
}

std::shared_ptr<const mjModel> compile_model(const std::string& name, const std::string& xml) {
  require(!xml.empty(), "model " + name + ": the file is empty");
  install_handlers();
  const Calling now;
  last_warning.clear();
  char error[1000] = "";
  std::shared_ptr<mjModel> model(load(xml, error), [](mjModel* m) { mj_deleteModel(m); });
  require(model != nullptr, "model " + name + ": " + one_line(error));
  require(error[0] == '\0' && last_warning.empty(), "model " + name + ": " + one_line(error + last_warning));
  return model;
}

MujocoBlock::MujocoBlock(const std::string& model, int substeps, Index lanes)
    : model_(shared_model(model)), substeps_(substeps), duration_(model_->opt.timestep * substeps) {
  const Calling now;
  for (Index lane = 0; lane < lanes; ++lane) {
    data_.emplace_back(mj_makeData(model_.get()));
    if (data_.back() == nullptr) throw RunError("model " + model + ": not enough memory for another lane");
  }
}

MujocoBlock::~MujocoBlock() = default;

void MujocoBlock::Deleter::operator()(mjData* data) const {
  mj_deleteData(data);
}

void MujocoBlock::reset(Index lane, RandomStream& random, std::span<double> observations) {
  const Calling now;
  mjData& data = *data_[as_size(lane)];
  mj_resetData(model_.get(), &data);  // also clears the solver's warm start
  scatter(random, data);
  begin(lane, observations);
}

void MujocoBlock::start(Index lane, std::span<const double> positions, std::span<const double> velocities,
                        std::span<double> observations) {
  const Calling now;
  mjData& data = *data_[as_size(lane)];
  mj_resetData(model_.get(), &data);
  std::ranges::copy(positions, data.qpos);
  std::ranges::copy(velocities, data.qvel);
  begin(lane, observations);
}

void MujocoBlock::begin(Index lane, std::span<double> observations) {
  mjData& data = *data_[as_size(lane)];
  mj_forward(model_.get(), &data);
  observe(data, {observations, std::ssize(data_), lane});
}

void MujocoBlock::step(const LaneStep& step) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Calling now;
  for (Index lane = 0; lane < step.active; ++lane) {
    if (step.live[as_size(lane)] == 0.0) continue;
    mjData& data = *data_[as_size(lane)];
    for (Index u = 0; u < model_->nu; ++u) data.ctrl[u] = step.actions[as_size(u * step.lanes + lane)];
    const Transition transition = advance(data);
    observe(data, {step.observations, step.lanes, lane});
    step.rewards[as_size(lane)] = transition.reward;
    step.ended[as_size(lane)] = transition.terminated ? LaneStep::kTerminated : LaneStep::kRunning;
    if (!warned(data)) continue;
    for (std::size_t i = as_size(lane); i < step.observations.size(); i += as_size(step.lanes))
      step.observations[i] = kNan;
    step.rewards[as_size(lane)] = kNan;
    step.ended[as_size(lane)] = LaneStep::kTerminated;
  }
}

void MujocoBlock::move(Index from, Index to) {
  std::swap(data_[as_size(from)], data_[as_size(to)]);
}

void MujocoBlock::simulate(mjData& data) const {
  for (int i = 0; i < substeps_; ++i) mj_step(model_.get(), &data);
}

double MujocoBlock::effort(const mjData& data) const {
  const mjtNum* a = data.ctrl;
  if (model_->nu == 8) {  // NumPy sums eight numbers in pairs, fewer in order
    const auto pair = [a](int i) { return a[i] * a[i] + a[i + 1] * a[i + 1]; };
    return (pair(0) + pair(2)) + (pair(4) + pair(6));
  }
  double sum = 0.0;
  for (int i = 0; i < model_->nu; ++i) sum += a[i] * a[i];
  return sum;
}

std::span<double> MujocoBlock::positions(mjData& data) const {
  return {data.qpos, as_size(model_->nq)};
}
std::span<double> MujocoBlock::velocities(mjData& data) const {
  return {data.qvel, as_size(model_->nv)};
}
std::span<const double> MujocoBlock::positions(const mjData& data) const {
  return {data.qpos, as_size(model_->nq)};
}
std::span<const double> MujocoBlock::velocities(const mjData& data) const {
  return {data.qvel, as_size(model_->nv)};
}

void add_uniform(RandomStream& random, double range, std::span<double> numbers) {
  for (double& number : numbers) number += random.uniform(-range, range);
}

void add_normal(RandomStream& random, double deviation, std::span<double> numbers) {
  for (double& number : numbers) number += deviation * random.normal();
}

}  // namespace retropg
