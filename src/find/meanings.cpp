#include "find/meanings.h"

#include <map>

namespace unravel::find {

std::string kind_of(const std::string &obligation) {
  return obligation.substr(0, obligation.find_first_of("({ "));
}

std::string meaning_of(const std::string &obligation) {
  static const std::map<std::string, std::string> meanings = {
      {"vacuity", "something can be found at all: the properties don't contradict each other"},
      {"profit", "several visits share a walk, so that it saves something"},
      {"O-uniq", "a target is at no more than one position"},
      {"O-contig", "the positions of a target lie side by side"},
      {"O-direct", "the target alone says at which position it is"},
      {"O-in-bounds", "that position lies in the segment"},
      {"O-match", "the entry at that position is the target"},
      {"O-start", "no key lies before its hash"},
      {"O-front", "the hash of a target lies in the segment"},
      {"O-empty", "no key lies after an empty position that follows its hash"},
      {"O-next", "this key is the next one in the order of the segment"},
      {"O-stop", "where a search stops without a match, no match follows"},
      {"O-part", "keys are in order, so a binary search knows which half to search"},
      {"O-persist", "later visits that share a walk don't need the positions that it has skipped"},
      {"O-init", "visits that share a walk begin at one position"},
      {"O-clamp", "the start of a walk never moves back"},
      {"O-inc", "no later visit needs the position of a match again"},
      {"O-place", "the walk of one outer iteration serves all visits in it"},
      {"O-zero", "no segment begins before position 0"},
      {"O-room", "the array of walks has room for all of them"},
      {"O-high", "no segment ends after the last position"},
      {"O-range", "keys lie in a range that a property names"},
      {"O-target", "targets lie in the range of the keys"},
      {"O-block", "blocks begin at multiples of their width"},
      {"O-bounds", "no segment ends before it begins"},
      {"O-rise", "keys strictly increase"},
      {"O-first", "no key lies before the first tile"},
      {"O-past", "a walk stops after its tile"},
      {"O-jump", "no match follows an entry whose key lies after the tile"},
      {"O-last", "the last tile takes all that is left"},
  };
  const auto found = meanings.find(kind_of(obligation));
  return found == meanings.end() ? "" : found->second;
}

} // namespace unravel::find
