/**
 * JSON as the runtime has it, taken when the process starts and before any plugin is loaded: what the Host writes stays sound
 * if a plugin, or a package that it brings, replaces the functions of the global `JSON`.
 */
export const {stringify: toJson, parse: fromJson} = JSON
