# `cpack -G DEB` in the build tree makes a Debian package.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME unravel)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "sparse polyhedral compiler: tool, libraries for C++, C and Python")
set(CPACK_PACKAGE_CONTACT "the authors of Unravel <unravel@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # those of the programs and libraries; Debian: dpkg-dev
set(CPACK_DEBIAN_PACKAGE_DEPENDS "")
if(UNRAVEL_JIT)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libomp5-19")
endif()
# Who links with libunravel.a needs what it stands on; the Python package NumPy.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-numpy, python3-scipy")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libfmt-dev, libisl-dev, libz3-dev, zlib1g-dev, pkg-config, g++, cmake")
include(CPack)
