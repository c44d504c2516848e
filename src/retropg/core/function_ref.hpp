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
  requires(!std::is_same_v<Callable, FunctionRef> && std::is_invocable_r_v<Result, const Callable&, Arguments...>)
      FunctionRef(const Callable& callable)
      : object_(std::addressof(callable)), call_([](const void* object, Arguments... arguments) -> Result {
          return (*static_cast<const Callable*>(object))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

 private:
  const void* object_;
  Result (*call_)(const void*, Arguments...);
};

}  // namespace retropg
