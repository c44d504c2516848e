#include "descriptors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

namespace retropg::app {

void fill_closed_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest free number is taken, which is this one. Opened the wrong way around, so that using it fails.
    open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace retropg::app
