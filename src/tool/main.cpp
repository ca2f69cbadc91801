#include "report/diagnostic.h"
#include "tool/commands.h"
#include "tool/options.h"

#include <iostream>

int main(int argc, char **argv) {
  CLI::App app{"Unravel: layouts and tensor index notation in, fast parallel C kernels out", "unravel"};
  app.set_version_flag("--version", UNRAVEL_VERSION);
  app.require_subcommand(1);
  app.footer("Examples:\n"
             "  unravel run 'y(i) = A(i,j) * x(j)' -f A=csr -i A=matrix.mtx -i x=random --check\n"
             "  unravel explain 'y(i) = A(i,j) * x(j)' -f A=csr -f x=sv\n"
             "  unravel layout show csr");
  int code = 0;
  bool json = false;
  unravel::tool::add_run(app, code, json);
  unravel::tool::add_compile(app, code, json);
  unravel::tool::add_explain(app, code, json);
  unravel::tool::add_deps(app, code, json);
  unravel::tool::add_layout(app, code, json);
  unravel::tool::add_generate(app, code, json);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const unravel::report::Error &error) {
    return unravel::tool::report_error(error, json);
  } catch (const std::bad_alloc &) {
    std::cerr << "error: out of memory\n";
    return 1;
  } catch (const std::exception &error) {
    std::cerr << "error: " << error.what() << " [internal]\n  hint: please report this as a bug\n";
    return 3;
  }
  return code;
}
