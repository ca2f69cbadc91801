#include "spmv_peers.h"

#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <rsb.h>
#include <stdexcept>

namespace unravel::bench {

namespace {

void require(rsb_err_t error) {
  if (error != RSB_ERR_NO_ERROR)
    throw std::runtime_error(fmt::format("librsb returned {}", static_cast<int>(error)));
}

/// librsb is set up once per process. The number of threads decides how a matrix is divided when it is made.
void begin(int threads) {
  static const bool begun = [] {
    require(rsb_lib_init(RSB_NULL_INIT_OPTIONS));
    std::atexit([] { rsb_lib_exit(RSB_NULL_EXIT_OPTIONS); });
    return true;
  }();
  static_cast<void>(begun);
  rsb_int_t wanted = threads;
  require(rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &wanted));
}

struct Product {
  std::shared_ptr<rsb_mtx_t> a;
  std::vector<double> x, y;

  void run() {
    const double one = 1, zero = 0;
    require(rsb_spmv(RSB_TRANSPOSITION_N, &one, a.get(), x.data(), 1, &zero, y.data(), 1));
  }
};

} // namespace

std::vector<Contestant> librsb_spmv(const Compressed &a, const std::vector<double> &x, int threads) {
  begin(threads);
  rsb_err_t error = RSB_ERR_NO_ERROR;
  rsb_mtx_t *made = rsb_mtx_alloc_from_csr_const(a.val, a.pos, a.crd, a.entries(), RSB_NUMERICAL_TYPE_DOUBLE,
                                                 a.lines, a.length, 1, 1, RSB_FLAG_NOFLAGS, &error);
  require(error);
  auto state = std::make_shared<Product>();
  state->a = std::shared_ptr<rsb_mtx_t>(made, [](rsb_mtx_t *matrix) { rsb_mtx_free(matrix); });
  state->x = x;
  state->y = std::vector<double>(static_cast<std::size_t>(a.lines));
  return {{"librsb", [=] { state->run(); }, [=] { return state->y; }}};
}

} // namespace unravel::bench
