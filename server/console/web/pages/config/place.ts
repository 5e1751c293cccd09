/** The position of the cursor in a YAML text, judged by indentation only, so that the text may be incomplete. */
export interface Place {
  /** The keys above, from the outermost; a number for an item of a list. */
  readonly path: readonly (string | number)[]
  /** `key`: the cursor is at a key, or where one could be. `value`: it is after a key. */
  readonly is: "key" | "value"
  /** The key of the value; empty at a key. */
  readonly key: string
  /** The text before the cursor, and where it starts. */
  readonly typed: string
  readonly from: number
  /** The other keys of the same object. */
  readonly siblings: ReadonlySet<string>
}

interface Line {
  /** The column of the key, after the dashes of list items. */
  readonly indent: number
  readonly dashes: readonly number[]
  readonly key: string | undefined
  readonly from: number
  readonly text: string
}

const read = (text: string, from: number): Line => {
  const dashes: number[] = []
  let at = text.length - text.trimStart().length
  while (/^-(\s|$)/.test(text.slice(at))) {
    dashes.push(at)
    at += 1 + (/^\s*/.exec(text.slice(at + 1))?.[0].length ?? 0)
  }
  const key = /^(?:"([^"]*)"|'([^']*)'|([^\s#:[\]{},&*!|>'"%@`][^:#]*?))\s*:(?=\s|$)/.exec(text.slice(at))
  return {indent: at, dashes, key: key?.[1] ?? key?.[2] ?? key?.[3], from, text}
}

const isBlank = ({text}: Line) => /^\s*(#.*)?$/.test(text)

const linesOf = (text: string): readonly Line[] => {
  let from = 0
  return text.split("\n").map(line => {
    const made = read(line, from)
    from += line.length + 1
    return made
  })
}

/** Returns the position; undefined in a comment. */
export const placeAt = (text: string, at: number): Place | undefined => {
  const lines = linesOf(text)
  const own = lines.findLastIndex(({from}) => from <= at)
  const line = lines[own]
  if (line === undefined) return undefined
  const before = line.text.slice(0, at - line.from)
  if (/(^|\s)#/.test(before)) return undefined
  const written = read(before, line.from)
  const indent = written.indent
  const value = written.key === undefined ? undefined : /:\s+(.*)$/.exec(before.slice(indent))?.[1]
  const typed = value ?? before.slice(indent)
  return {
    path: pathTo(lines, own, indent, line.dashes),
    is: value === undefined ? "key" : "value",
    key: value === undefined ? "" : (written.key ?? ""),
    typed,
    from: at - typed.length,
    siblings: siblingsOf(lines, own, indent),
  }
}

const pathTo = (lines: readonly Line[], own: number, at: number, dashes: readonly number[]): (string | number)[] => {
  const path: (string | number)[] = []
  let indent = at
  const pending = [...dashes]
  for (let index = own; index >= 0; index--) {
    const line = lines[index]
    if (line === undefined || (index !== own && isBlank(line))) continue
    if (
      index !== own &&
      line.key !== undefined &&
      line.indent < indent &&
      !(line.dashes.length > 0 && line.indent === at)
    ) {
      path.unshift(line.key)
      indent = line.indent
      pending.push(...line.dashes)
    } else if (index !== own && line.dashes.length > 0 && line.indent === indent) pending.push(...line.dashes)
    for (const dash of pending.splice(0).reverse()) {
      if (dash >= indent) continue
      path.unshift(0)
      // A list may have the same indentation as its key.
      indent = dash + 1
    }
    if (indent === 0) break
  }
  return path
}

const siblingsOf = (lines: readonly Line[], own: number, indent: number): ReadonlySet<string> => {
  const found = new Set<string>()
  const walk = (step: 1 | -1) => {
    for (let index = own + step; index >= 0 && index < lines.length; index += step) {
      const line = lines[index]
      if (line === undefined || isBlank(line)) continue
      const first = line.dashes[0]
      if (line.indent < indent || (step === 1 && first !== undefined && first < indent)) return
      if (line.indent === indent && line.key !== undefined) found.add(line.key)
      if (first !== undefined && first < indent) return
    }
  }
  if ((lines[own]?.dashes.length ?? 0) === 0) walk(-1)
  walk(1)
  return found
}
