# Before the first file is installed: is all of it built? Else an install would end half done.
set(to_install $<TARGET_FILE:unravel> $<TARGET_FILE:unravel_c> $<$<TARGET_EXISTS:unravel_tool>:$<TARGET_FILE:unravel_tool>>
               $<$<TARGET_EXISTS:unravel-clang>:$<TARGET_FILE:unravel-clang>>)
install(CODE "foreach(file IN ITEMS ${to_install})
    if(NOT EXISTS \"\${file}\")
      message(FATAL_ERROR \"\${file} is not built: `cmake --build ${CMAKE_BINARY_DIR} --target unravel_to_install` builds what is installed\")
    endif()
  endforeach()")
