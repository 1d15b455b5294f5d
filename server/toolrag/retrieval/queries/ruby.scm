; Definitions. `A::B` as a name puts B in A; a method of a named object is in that object.

(class name: (_) @name @header.last superclass: (_)? @header.last) @definition.class
(module name: (_) @name @header.last) @definition.module
(method name: (_) @name @header.last parameters: (_)? @header.last) @definition.method
(singleton_method
  object: (self)
  name: (_) @name @header.last
  parameters: (_)? @header.last) @definition.method
(singleton_method
  object: [(constant) (identifier)] @scope
  name: (_) @name @header.last
  parameters: (_)? @header.last) @definition.method
(alias name: (_) @name) @definition.method
(assignment left: (constant) @name) @definition.constant

; Methods that are made by a call.
(call
  method: (identifier) @_maker
  arguments: (argument_list . (simple_symbol) @name)
  block: (_)
  (#match? @_maker "^define_(singleton_)?method$")) @definition.method
(call
  method: (identifier) @_maker
  arguments: (argument_list (simple_symbol) @name)
  (#match? @_maker "^(attr(_accessor|_reader|_writer)?|cattr_accessor|mattr_accessor|class_attribute)$")) @definition.field
(call
  method: (identifier) @_maker
  arguments: (argument_list . (simple_symbol) @name)
  (#match? @_maker "^(scope|has_many|has_one|belongs_to|has_and_belongs_to_many|alias_method)$")) @definition.field

; `private def f`, `memoize def f`.
(call arguments: (argument_list . (method) @inner .)) @wrap
(call arguments: (argument_list . (singleton_method) @inner .)) @wrap

; References, by name only. A bare name may be a variable and is none.

(call method: [(identifier) (constant)] @name) @reference.call
(superclass [(constant) @name (scope_resolution name: (constant) @name)]) @reference.base
(call
  method: (identifier) @_mixes
  arguments: (argument_list [(constant) @name (scope_resolution name: (constant) @name)])
  (#match? @_mixes "^(include|extend|prepend)$")) @reference.base

(comment) @comment
