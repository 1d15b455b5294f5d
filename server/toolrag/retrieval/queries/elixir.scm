; Definitions are calls. Clauses of one name that follow each other are one function, and `@doc` is above the first.

(call
  target: (identifier) @_kind
  (arguments . (alias) @name)
  (do_block "do" @header.end)
  (#match? @_kind "^(defmodule|defprotocol|defimpl)$")) @definition.module

((call
  target: (identifier) @_kind
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(call target: (identifier) @name) (identifier) @name] operator: "when")])
  (do_block "do" @header.end)
  (#match? @_kind "^(def|defp|defmacro|defmacrop|defn|defnp)$")) @definition.function
  (#set! clauses "yes"))
((call
  target: (identifier) @_kind
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(call target: (identifier) @name) (identifier) @name] operator: "when")])
  (#match? @_kind "^(def|defp|defmacro|defmacrop|defn|defnp|defdelegate|defguard|defguardp)$")) @definition.function
  (#set! clauses "yes"))
; `def a + b`.
((call
  target: (identifier) @_kind
  (arguments . (binary_operator operator: [
    "+" "-" "*" "/" "<>" "++" "--" "==" "!=" "===" "!==" "=~" "<" ">" "<=" ">=" "|>" "~>" "<~" "<~>" "~>>" "<<~" "<|>"
    "<<<" ">>>" "|||" "&&&" "^^^" "&&" "||" "and" "or" "in" ".." "**"] @name))
  (#match? @_kind "^(def|defp|defmacro|defmacrop)$")) @definition.function
  (#set! clauses "yes"))

(call target: (identifier) @name (#match? @name "^(defstruct|defexception)$")) @definition.type
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_kind
    (arguments . (binary_operator
      left: [(identifier) @name (call target: (identifier) @name)]
      operator: "::")))
  (#match? @_kind "^(type|typep|opaque)$")) @definition.type
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_kind
    (arguments . (binary_operator
      left: [(identifier) @name (call target: (identifier) @name)]
      operator: "::")))
  (#match? @_kind "^(callback|macrocallback)$")) @definition.function

; `@limit 3` is a constant, unless its name is one that Elixir reads itself.
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @name (arguments))
  (#not-match? @name "^(after_compile|before_compile|behaviour|callback|compile|deprecated|derive|describetag|dialyzer|doc|enforce_keys|external_resource|fallback_to_any|impl|macrocallback|moduledoc|moduletag|on_definition|on_load|opaque|optional_callbacks|spec|tag|type|typedoc|typep|vsn)$")
  ) @definition.constant

(call
  target: (identifier) @_kind
  (arguments . (string) @name)
  (do_block "do" @header.end)
  (#match? @_kind "^(test|property|feature)$")) @definition.function

; References, by name only.

(call
  target: [(identifier) @name (dot right: (identifier) @name)]
  (#not-match? @name "^(def[a-z]*|alias|import|require|use|case|cond|if|unless|with|for|quote|unquote|try|receive|after_compile|before_compile|behaviour|callback|compile|deprecated|derive|dialyzer|doc|impl|macrocallback|moduledoc|moduletag|opaque|spec|tag|type|typedoc|typep)$")
  ) @reference.call
(binary_operator operator: "|>" right: (identifier) @name) @reference.call
(call
  target: (identifier) @_kind
  (arguments . (alias) @name)
  (#match? @_kind "^use$")) @reference.base

; Docs and what stands before a definition.

(comment) @comment
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_kind (arguments . [(string) (sigil)]))
  (#match? @_kind "^(doc|typedoc)$")) @comment
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_kind (arguments . [(string) (sigil)]))
  (#match? @_kind "^moduledoc$")) @doc
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_kind)
  (#match? @_kind "^(spec|impl|deprecated|doc|typedoc|tag|describetag|dialyzer)$")) @attribute
