# Makes the Debian package and installs it into a new folder, with the packages of this machine as those that are there;
# where that isn't allowed, unpacks it. Runs the tool, a project that uses the package, and the Python package from there;
# removes it again.
# cmake -DBUILD=... -DCPACK=cpack -DDPKG_DEB=dpkg-deb -DCONSUMER=... -DGENERATOR=... -DCOMPILER=... -DC_COMPILER=...
#   -DBIN=bin -DPYTHON=... -P debian.cmake
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
set(root ${work}/root)
find_program(DPKG dpkg)
execute_process(COMMAND id -u OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE)
if(DPKG AND user STREQUAL "0" AND EXISTS /var/lib/dpkg/status)
  set(installed TRUE)
  set(ENV{PATH} "$ENV{PATH}:/usr/sbin:/sbin") # of dpkg's own helpers
  file(MAKE_DIRECTORY ${root} ${work}/admin/info ${work}/admin/updates)
  file(COPY /var/lib/dpkg/status DESTINATION ${work}/admin) # so that dependencies are looked for
  set(dpkg ${DPKG} --instdir=${root} --admindir=${work}/admin --log=${work}/log --force-script-chrootless)
  run(${dpkg} --install ${package})
  run(${dpkg} --status unravel)
  if(NOT output MATCHES "Status: install ok installed\n")
    message(FATAL_ERROR "dpkg says of the package:\n${output}")
  endif()
else()
  run(${DPKG_DEB} --extract ${package} ${root})
endif()

set(ENV{UNRAVEL_CACHE_DIR} ${work}/cache)
unset(ENV{UNRAVEL_JIT_MODULE})
unset(ENV{UNRAVEL_LIBRARY})
run(${root}/usr/${BIN}/unravel run "y(i) = A(i,j) * x(j)" -f A=csr -i A=poisson2d:9x9 -i x=ones --check)
include(${CMAKE_CURRENT_LIST_DIR}/consume.cmake)
consume(${root}/usr)
if(PYTHON)
  set(ENV{PYTHONPATH} ${root}/usr/lib/python3/dist-packages)
  run(${PYTHON} -B -c "import numpy as np, unravel as un\nprint(un.__file__, un.compute('s = x(i) * x(i)', x=np.array([3., 4.])))")
  if(NOT output MATCHES "^${root}/.* 25.0\n$")
    message(FATAL_ERROR "the Python package printed:\n${output}")
  endif()
endif()

if(installed)
  run(${dpkg} --purge unravel)
  file(GLOB_RECURSE left ${root}/*unravel*)
  if(left)
    message(FATAL_ERROR "the package left behind: ${left}")
  endif()
endif()

file(REMOVE_RECURSE ${work})
