# Puts the texts of files into a room, so that the program needs no files at run time.
# `unravel_embed(room function pattern...)`: the function of the room returns them (src/text/embedded.h).
if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(unravel_embed room function)
    file(GLOB files CONFIGURE_DEPENDS ${ARGN})
    set(made ${CMAKE_CURRENT_BINARY_DIR}/${room}_${function}.cpp)
    set(script ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake)
    add_custom_command(OUTPUT ${made} DEPENDS ${files} ${script} VERBATIM COMMAND
      ${CMAKE_COMMAND} -DMADE=${made} -DROOM=${room} -DFUNCTION=${function} "-DFILES=${files}" -P ${script})
    set_source_files_properties(${made} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON) # it changes with files that are no C++
    target_sources(unravel_${room} PRIVATE ${made})
  endfunction()
  return()
endif()

set(text "#include \"text/embedded.h\"\n\nnamespace unravel::${ROOM} {\n\nconst std::vector<text::EmbeddedFile> &${FUNCTION}() {\n  static const std::vector<text::EmbeddedFile> files = {\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} content)
  string(APPEND text "      {\"${name}\", R\"embedded(${content})embedded\"},\n")
endforeach()
file(WRITE ${MADE} "${text}  };\n  return files;\n}\n\n} // namespace unravel::${ROOM}\n")
