# Installs the build tree into a new folder, moves that, runs the installed tool, builds and runs a project that uses the
# package, in C++ and in C, and the Python package, where PYTHON is one that has NumPy.
# cmake -DBUILD=... -DCONSUMER=... -DGENERATOR=... -DCOMPILER=... -DC_COMPILER=... -DBIN=bin -DPYTHON=... -P check.cmake
cmake_minimum_required(VERSION 3.22)

set(work ${BUILD}/install-check)
set(prefix ${work}/moved)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
file(RENAME ${work}/prefix ${prefix})
foreach(file include/unravel/unravel.h include/unravel/unravel_c.h share/unravel/layouts/csr.layout)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()

unset(ENV{UNRAVEL_JIT_MODULE})
# Kernels made from here on are new, so that the installed module has to be found.
set(ENV{UNRAVEL_CACHE_DIR} ${work}/cache)
run(${prefix}/${BIN}/unravel --help)
run(${prefix}/${BIN}/unravel run "y(i) = A(i,j) * x(j)" -f A=csr -i A=poisson2d:9x9 -i x=ones --check)

include(${CMAKE_CURRENT_LIST_DIR}/consume.cmake)
consume(${prefix})

if(PYTHON)
  set(ENV{PYTHONPATH} ${prefix}/lib/python3/dist-packages)
  unset(ENV{UNRAVEL_LIBRARY})
  run(${PYTHON} -B -c "import numpy as np, unravel as un\nprint(un.__file__, un.compute('s = x(i) * x(i)', x=np.array([3., 4.])))\nun.report('y(i) = x(i)', '${work}/page.html', x='sv')")
  if(NOT output MATCHES "^${prefix}/.* 25.0\n$" OR NOT EXISTS ${work}/page.html)
    message(FATAL_ERROR "the Python package printed:\n${output}")
  endif()
endif()

file(REMOVE_RECURSE ${work})
