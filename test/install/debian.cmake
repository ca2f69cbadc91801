# Makes the Debian package, unpacks it into a new folder, runs the tool and the Python package from there.
# cmake -DBUILD=... -DCPACK=cpack -DDPKG_DEB=dpkg-deb -DBIN=bin -DPYTHON=... -P debian.cmake
cmake_minimum_required(VERSION 3.22)

set(work ${BUILD}/debian-check)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

run(${CPACK} --config ${BUILD}/CPackConfig.cmake -G DEB -B ${work})
file(GLOB package ${work}/unravel_*.deb)
run(${DPKG_DEB} --field ${package} Package Depends)
if(NOT output MATCHES "Package: unravel\n.*libisl[0-9]+")
  message(FATAL_ERROR "the package depends on:\n${output}")
endif()
run(${DPKG_DEB} --extract ${package} ${work}/root)

set(ENV{UNRAVEL_CACHE_DIR} ${work}/cache)
unset(ENV{UNRAVEL_JIT_MODULE})
unset(ENV{UNRAVEL_LIBRARY})
run(${work}/root/usr/${BIN}/unravel run "y(i) = A(i,j) * x(j)" -f A=csr -i A=poisson2d:9x9 -i x=ones --check)
if(PYTHON)
  set(ENV{PYTHONPATH} ${work}/root/usr/lib/python3/dist-packages)
  run(${PYTHON} -B -c "import numpy as np, unravel as un\nprint(un.__file__, un.compute('s = x(i) * x(i)', x=np.array([3., 4.])))")
  if(NOT output MATCHES "^${work}/root/.* 25.0\n$")
    message(FATAL_ERROR "the Python package printed:\n${output}")
  endif()
endif()

file(REMOVE_RECURSE ${work})
