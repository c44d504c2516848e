#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace retropg {

/// A non-owning reference to a callable, like std::function_ref of C++26. Use it only as a parameter: it must not
/// outlive the call.
template <class Signature>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef> &&
           std::is_invocable_r_v<Result, Callable&, Arguments...>)
      FunctionRef(
          Callable&& callable)  // NOLINT(bugprone-forwarding-reference-overload): implicit, as for std::function
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace retropg
