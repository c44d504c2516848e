#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <mujoco/mjxmacro.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "retropg/environment/mujoco.hpp"
#include "retropg/environment/mujoco/model_files.hpp"
#include "retropg/environment/mujoco/mujoco_block.hpp"
#include "retropg/configuration/registry.hpp"
#include "support/bits.hpp"
#include "support/expect_throw.hpp"
#include "support/gymnasium_recording.hpp"
#include "support/source_folder.hpp"

namespace retropg::test {
namespace {

#if mjVERSION_HEADER >= 4000000  // the first with these lists of fields; what was recorded is of 4.0 in any case
using Fields = std::map<std::string, std::vector<double>>;

Fields read_fields(const std::string& id, std::string& version) {
  std::ifstream file(test::source_folder() / "tests" / "golden" / "mujoco" / (id + "_model.txt"));
  version = read_mujoco_version(file);
  Fields result;
  Index count = 0;
  for (std::string name; file >> name >> count;) result[name] = read_numbers(file, count);
  return result;
}

/// Every number of a compiled model by its name in MuJoCo, but for what is only looked at (mjVisual).
Fields fields_of(const mjModel& model) {
  Fields result;
  const auto add = [&](const std::string& name, const auto* numbers, auto count) {
    if (count > 0) result[name].assign(numbers, numbers + count);
  };
#undef MJ_M
#define MJ_M(size) model.size
#define X(type, name, rows, columns) add(#name, model.name, model.rows* columns);
  MJMODEL_POINTERS
#undef X
#define X(name) add(#name, &model.name, 1);
  MJMODEL_SIZES
#undef X
#define X(type, name, count) add("opt." #name, &model.opt.name, count);
#define XVEC(type, name, count) add("opt." #name, model.opt.name, count);
  MJOPTION_FIELDS
#undef X
#undef XVEC
#define X(name, count) add("stat." #name, &model.stat.name, count);
#define XVEC(name, count) add("stat." #name, model.stat.name, count);
  MJSTATISTIC_FIELDS
#undef X
#undef XVEC
  add("flg_gravcomp", &model.flg_gravcomp, 1);
  add("flg_surfacevel", &model.flg_surfacevel, 1);
  add("flg_adhesion", &model.flg_adhesion, 1);
  return result;
}

/// What our models leave out, because no equation of motion reads it: names begin with one of these.
constexpr std::array kLeftOut = {
    "cam_",       "ncam",       "light_",   "nlight",
    "mat_",       "nmat",       "tex_",     "ntex",      // cameras, lights, materials, textures
    "geom_matid", "geom_rgba",                           // colors
    "name",       "nnames",                              // our names are our own
    "paths",      "npaths",                              // of asset files
    "geom_user",  "nuser_geom", "numeric_", "nnumeric",  // numbers for the model's user; unused
    "narena",     "nbuffer",                             // memory
    "signature",                                         // a hash of all of these
};

bool left_out(const std::string& name) {
  return std::ranges::any_of(kLeftOut, [&](const char* start) { return name.starts_with(start); });
}

class MujocoModel : public testing::TestWithParam<std::string> {};

TEST_P(MujocoModel, IsGymnasiumsInEveryNumberThatMoves) {
  std::string version;
  const Fields recorded = read_fields(GetParam(), version);
  if (version != mujoco_version()) GTEST_SKIP() << "recorded with MuJoCo " << version;
  Configuration configuration;
  configuration.env.id = GetParam();
  const auto block = make_environment(configuration).make(kChunk);
  const Fields ours = fields_of(dynamic_cast<const MujocoBlock&>(*block).model());

  std::set<std::string> names;
  for (const auto& fields : {recorded, ours}) {
    for (const auto& [name, numbers] : fields) names.insert(name);
  }
  int compared = 0;
  for (const std::string& name : names) {
    if (left_out(name)) continue;
    ASSERT_TRUE(recorded.contains(name)) << name << " is only in our model";
    ASSERT_TRUE(ours.contains(name)) << name << " is only in Gymnasium's model";
    EXPECT_EQ(bits(ours.at(name)), bits(recorded.at(name))) << name;
    ++compared;
  }
  EXPECT_GT(compared, 250);
  for (const char* name : {"qpos0", "body_mass", "body_inertia", "jnt_range", "dof_damping", "geom_friction",
                           "actuator_gear", "opt.timestep", "stat.meaninertia"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(, MujocoModel,
                         testing::Values("HalfCheetah-v4", "Swimmer-v4", "Hopper-v4", "Walker2d-v4",
                                         "InvertedPendulum-v4", "InvertedDoublePendulum-v4", "Reacher-v4", "Ant-v4"),
                         [](const auto& instance) { return instance.param.substr(0, instance.param.find('-')); });

TEST(MujocoModels, AWarningOfTheCompilerIsAnError) {  // 4.0 warns that settotalmass is going away
  expect_throw([] { compile_model("heavy", R"(<mujoco><compiler settotalmass="1"/></mujoco>)"); }, "model heavy: ");
}
#endif

TEST(MujocoModels, AllCompileWithoutAWarning) {
  EXPECT_EQ(model_files().size(), 8U);
  for (const auto& [name, xml] : model_files()) EXPECT_NE(compile_model(name, xml), nullptr) << name;
}

TEST(MujocoModels, ABrokenOneIsRefusedInOneLine) {
  for (const char* xml : {"", "<mujoco>", "<mujoco><worldbody><geom/></worldbody></mujoco>", "not a model"}) {
    expect_throw([&] { compile_model("broken", xml); }, "model broken: ");
  }
}

TEST(MujocoModels, AreCompiledOnceForAllBlocks) {
  const EnvironmentDefinition environment = swimmer();
  const auto first = environment.make(kChunk), second = environment.make(2 * kChunk);
  EXPECT_EQ(&dynamic_cast<MujocoBlock&>(*first).model(), &dynamic_cast<MujocoBlock&>(*second).model());
}

}  // namespace
}  // namespace retropg::test
