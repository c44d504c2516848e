#pragma once

#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg::test {

/// What the steps of a trajectory are credited with.
struct CreditSetting {
  Credit credit;
  double discount;
};

}  // namespace retropg::test
