# Puts the shipped layout files into the library, so that the tool needs no files at run time.
# Run as a script: cmake -DOUTPUT=... -DDIRECTORY=... -P shipped_layouts.cmake
file(GLOB files ${DIRECTORY}/*.layout)
list(SORT files)
set(text "// Made from layouts/*.layout by cmake/shipped_layouts.cmake.\n#include \"layout/layout.h\"\n\nnamespace unravel::layout {\n\nconst std::vector<ShippedFile> &shipped_files() {\n  static const std::vector<ShippedFile> files = {\n")
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} content)
  string(APPEND text "      {\"${name}\", R\"layout(${content})layout\"},\n")
endforeach()
string(APPEND text "  };\n  return files;\n}\n\n} // namespace unravel::layout\n")
file(WRITE ${OUTPUT} "${text}")
