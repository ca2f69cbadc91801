# Builds the project CONSUMER, which uses the package below a prefix, in C++ and in C, and runs what it makes.
function(consume prefix)
  run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${work}/consumer -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_PREFIX_PATH=${prefix})
  run(${CMAKE_COMMAND} --build ${work}/consumer)
  run(${work}/consumer/consumer)
  if(NOT output MATCHES "y.1. = 60\n.*int kernel\\(")
    message(FATAL_ERROR "the consumer printed:\n${output}")
  endif()
  run(${work}/consumer/consumer_in_c)
  if(NOT output STREQUAL "s = 500\n")
    message(FATAL_ERROR "the consumer in C printed:\n${output}")
  endif()
endfunction()
