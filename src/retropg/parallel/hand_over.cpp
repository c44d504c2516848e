#include "retropg/parallel/hand_over.hpp"

namespace retropg {

void HandOver::publish() {
  order_.store(1, std::memory_order_release);
}

void HandOver::join() {
  order_.load(std::memory_order_acquire);
}

void HandOver::run(const std::function<void(Index, Index)>& body, Index first, Index last) {
  struct Leave {
    std::atomic<int>& order;
    ~Leave() { order.fetch_add(1, std::memory_order_acq_rel); }
  };
  order_.load(std::memory_order_acquire);
  const Leave leave{order_};
  body(first, last);
}

}  // namespace retropg
