/** The engine's rejection of a pattern: the reason, and the part at which it stopped, in the engine's own syntax. */
export interface SyntaxRefusal {
  readonly error: string
  readonly input: string | null
}

/** Features of other regular expressions that no linear-time engine has. */
const impossible: readonly {readonly begins: RegExp; readonly what: string; readonly instead: string}[] = [
  {begins: /^\(\?<?[=!]/, what: "lookaround", instead: "Match more, and check the groups in the handler"},
  {begins: /^\\[1-9k]/, what: "a backreference", instead: "Match both with groups, and compare them in the handler"},
  {
    begins: /^(\(\?>|[*+?]\+)/,
    what: "an atomic group or a possessive quantifier",
    instead: "Use the plain form: nothing here backtracks",
  },
]

const linear = "svc does not support it, because its engine guarantees linear time in the length of the text"

const correctIt = "Correct the pattern; it uses the syntax of RE2"

/** How much of a pattern's part is shown, in characters. */
const longestShown = 20

/** Explains why a pattern is rejected, where, and what to do. */
export const explainRefusal = (source: string, {error, input}: SyntaxRefusal): string => {
  const part = writtenPart(source, input ?? "")
  const known = impossible.find(({begins}) => begins.test(part))
  const shown = known?.begins.exec(part)?.[0] ?? part.slice(0, longestShown)
  const place = placeOf(source, part)
  if (known !== undefined) return `${shown}${place} is ${known.what}; ${linear}. ${known.instead}`
  return `${error}${shown === "" ? "" : `: ${shown}`}${place}. ${correctIt}`
}

/** Returns the part as the plugin wrote it, not in the engine's form. */
const writtenPart = (source: string, input: string): string =>
  [input, input.replace("(?P<", "(?<"), input.replaceAll("\\/", "/")].find(part => source.includes(part)) ?? input

/** Empty if the part is the whole pattern, or a name that may appear several times. */
const placeOf = (source: string, part: string): string => {
  const start = source.indexOf(part)
  return start < 0 || part === source || /^\w*$/.test(part) ? "" : ` at character ${start + 1}`
}

/** Finds a reference such as `\k<name>`, which the engine would read as letters. */
export const findNamedReference = (source: string): string | undefined => {
  for (const [pair] of source.matchAll(/\\[\s\S]/g)) if (pair === "\\k") return pair
  return undefined
}
