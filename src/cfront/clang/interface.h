#pragma once

#include <cstddef>
#include <cstdint>

/// The C interface of the C reader in the module `libunravel-clang.so`: text -> the syntax of one function,
/// as Clang has parsed and typed it. As with the in-process compiler (build/clang/interface.h), nothing but
/// what is declared here crosses the border: no C++ type, no exception, no header of Clang.
extern "C" {

/// Raised with every change of this file; the room refuses a module of another version.
enum { unravel_syntax_version = 3 };

/// What a node is, and its children in their order. A child that the text lacks is an Absent.
enum UnravelSyntaxKind {
  UnravelAbsent,
  UnravelTooDeep,   // something that nests too deeply to be handed over
  UnravelFunction,  // Parameter..., Block
  UnravelParameter, // type
  // types
  UnravelScalarType,
  UnravelPointerType, // type
  UnravelArrayType,   // extent (Absent: []), type
  UnravelOtherType,
  // statements
  UnravelBlock,    // statement...
  UnravelDeclare,  // Variable...
  UnravelVariable, // initial value
  UnravelFor,      // Declare or expression, condition, expression, statement
  UnravelIf,       // condition, statement, statement
  UnravelWhile,
  UnravelDo,
  UnravelSwitch,
  UnravelGoto,
  UnravelLabel,
  UnravelBreak,
  UnravelContinue,
  UnravelReturn, // value
  UnravelEmpty,
  UnravelOtherStatement,
  // expressions
  UnravelInteger,     // a constant, however it is written: `integer`
  UnravelDecimal,     // `decimal`
  UnravelComplex,     // a constant: `decimal` and `imaginary`
  UnravelReference,   // `declaration`, `text` the name
  UnravelSubscript,   // base, index
  UnravelDereference, // pointer
  UnravelUnary,       // operand; `text` the operator
  UnravelBinary,      // operands; `text` the operator, also `,`
  UnravelAssign,      // target, value; `text` the operator
  UnravelConditional, // condition, value, value
  UnravelCast,        // operand: between arithmetic types, explicit or not; to void
  UnravelCall,        // callee, argument...
  UnravelOtherExpression,
};

enum UnravelSyntaxType {
  UnravelVoid,
  UnravelIntegral,
  UnravelFloat,
  UnravelDouble,
  UnravelComplexFloat,
  UnravelComplexDouble,
  UnravelOtherFloating,
  UnravelPointer,
  UnravelArray,
  UnravelAnyOther,
};

enum UnravelSyntaxFlag {
  UnravelIsStatic = 1,       // of a Variable
  UnravelIsPostfix = 2,      // of a Unary: i++
  UnravelIsWritten = 4,      // of a Cast: it stands in the text
  UnravelComputesWider = 8,  // of an Assign: `+=` and the like in another type than the target's
  UnravelIsNoParameter = 16, // of a Reference: to something outside of the function
  UnravelIsFromInteger = 32, // of a Decimal: C has an integer there
};

struct UnravelNode {
  UnravelSyntaxKind kind;
  UnravelSyntaxType type; // of expressions, variables and types
  int bits;               // of integers
  int is_unsigned;        // of integers
  int flags;
  /// Characters [begin, end) of the file. Of what a macro or an #include gives: the place of its use.
  std::size_t begin, end;
  /// Of a For or If: where its head ends, behind the bracket.
  std::size_t head_end;
  /// Tells variables and parameters apart; less than 0 where there is none.
  int declaration;
  std::int64_t integer;
  double decimal, imaginary;
  const char *text; // of a declaration its name; of an Other, what it is
  const char *type_name;
  std::size_t children; // how many; they follow, each with its own
};

/// A mistake in the C: Clang's message. Or what nests too deeply for Clang.
struct UnravelSyntaxError {
  const char *message;
  const char *file; // empty: the file itself, and then [begin, end) is the place
  std::size_t begin, end;
  unsigned line, column;
  int too_deep; // not 0: there is no message
};

struct UnravelSyntax {
  const UnravelNode *nodes; // the Function and below; none after an error, or where it is not found
  std::size_t node_count;
  const char *const *functions; // all that the file defines
  std::size_t function_count;
  const UnravelSyntaxError *error; // the first one, or null
};

/// May be called from any thread.
struct UnravelSyntaxReader {
  int version;
  /// `path`: what the text is called and where #include "..." begins to search; it is not read.
  /// `function`: its name; empty: the only one.
  const UnravelSyntax *(*read)(const char *path, const char *content, std::size_t size, const char *function);
  void (*release)(const UnravelSyntax *);
};

const UnravelSyntaxReader *unravel_syntax_reader();
}
