import {readdirSync, readFileSync} from "node:fs"
import {join} from "node:path"
import {most} from "../../../server/config/text/yaml-value.ts"
import type {Chance} from "../../support/machine/chance.ts"

const folders = ["examples", "plugins"].flatMap(parent => readdirSync(parent).map(name => join(parent, name)))
const configs = ["cli/init/template", ...folders].flatMap(folder =>
  readdirSync(folder).includes("svc.config.yml") ? [readFileSync(join(folder, "svc.config.yml"), "utf8")] : [],
)

/** Scalars, signs and nodes that YAML knows and JSON does not, or that people mistype. */
const odd = [
  "!!binary aGk= ¦ !!timestamp 2020-01-01 ¦ 2020-01-01 ¦ !!set {a, b} ¦ !!omap [a: 1] ¦ !secret x ¦ !<x> 1 ¦ !!str 1",
  ".nan ¦ -.inf ¦ 0x1F ¦ 0o17 ¦ 1e999 ¦ -0 ¦ 123456789012345678901 ¦ ~ ¦ yes ¦ 1_000 ¦ !!int x ¦ !!null x ¦ !!map []",
  "&a [*a] ¦ &a {b: *a} ¦ &a 1 ¦ *a ¦ *none ¦ <<: *a ¦ <<: {x: 1} ¦ ? [a]\n: 1 ¦ ? {a: 1}\n: 1 ¦ ~: 1 ¦ 1: 2 ¦ &a &b 1",
  '%YAML 1.1\n--- ¦ --- ¦ ... ¦ --- | ¦ |\n  x ¦ >-\n  x ¦ |9 ¦ "\\ud800" ¦ "a ¦ \'a ¦ [a ¦ {a: 1 ¦ ] ¦ } ¦ :  ¦ # c ¦ @ ¦ `',
  "\t ¦ \0 ¦ \u2028 ¦ \uFEFF ¦ \u202e ¦ - - - ¦ , , ¦ __proto__: {} ¦ constructor: 1 ¦ a: a: a ¦ ! ¦ & ¦ * ¦ \r ¦ a:\n\t- b",
  "${A} ¦ ${A:- ¦ {a:  ¦ [[ ¦ a: 1\n ¦ - {id: a}\n ¦ \\n ¦  a:\n",
].flatMap(line => line.split(" ¦ "))

const signs = [..."{}[]:,-?&*!|>%@`\"#'\n \t~<=$\\", "  ", ": ", "- ", "\n\n", "\r\n"]

type Make = (chance: Chance) => string

const node = (chance: Chance, levels: number): string => {
  const items = (open: string, close: string, item: () => string) =>
    `${open}${Array.from({length: chance.below(5)}, item).join(", ")}${close}`
  const inner = () => node(chance, levels - 1)
  const kind = levels === 0 ? 0 : chance.below(4)
  if (kind === 1) return items("[", "]", inner)
  if (kind === 2)
    return items("{", "}", () => `${chance.pick([chance.pick(["a", "b", "id", "use"]), inner()])}: ${inner()}`)
  if (kind === 3) return `&${chance.pick(["a", "b"])} ${inner()}`
  return chance.pick([...odd, "*a", "*b", "true", "1", "text", '"text"', "''"])
}

/** A real configuration with a few wrong places. */
const mutated: Make = chance => {
  let text = chance.pick(configs)
  for (let left = 1 + chance.below(4); left > 0; left--) {
    const at = chance.below(text.length)
    const [from, to] = [text.lastIndexOf("\n", at) + 1, `${text}\n`.indexOf("\n", at)]
    const edits: readonly (() => string)[] = [
      () => text.slice(0, at) + chance.pick(signs) + text.slice(at),
      () => text.slice(0, at) + text.slice(at + 1 + chance.below(8)),
      () => text.slice(0, to) + text.slice(from === 0 ? 0 : from - 1),
      () => `${text.slice(0, from)}${" ".repeat(chance.below(6))}${text.slice(from)}`,
      () => text.slice(0, from) + text.slice(from, to).replace(/: .*/, () => `: ${node(chance, 3)}`) + text.slice(to),
      () => `${text.slice(0, from)}${chance.pick(odd)}\n${text.slice(from)}`,
      () => text.slice(0, at),
      () => chance.pick(configs).slice(0, at) + text.slice(from),
    ]
    text = chance.pick(edits)()
  }
  return text
}

/** Known keys with random values. */
const composed: Make = chance =>
  Array.from({length: 1 + chance.below(6)}, () => {
    const key = chance.pick("http plugins agents permissions languages status alerts database x".split(" "))
    const below = chance.pick("endpoints config port texts rules labels targets use token main".split(" "))
    return chance.pick([
      `${key}: ${node(chance, 4)}`,
      `${key}:\n  ${below}: ${node(chance, 3)}`,
      `${key}:\n  - ${below}: ${node(chance, 3)}\n  - ${node(chance, 2)}`,
      `${key}:\n  ${below}:\n    ${below}: ${node(chance, 3)}`,
    ])
  }).join("\n")

/** The same piece very often: wide, deep, or both. */
const repeated: Make = chance => {
  const piece = chance.pick([...signs, ...odd])
  const before = chance.pick(["", "a: ", "plugins:\n  a:\n    endpoints:\n", 'plugins: {a: {use: "', "&a ", "a: |\n"])
  const length = chance.below(chance.pick([200, 2000, 20_000, most.bytes * 1.1]))
  return `${before}${piece.repeat(1 + length / piece.length)}`.slice(0, length)
}

/** Many different keys or items of one shape. */
const wide: Make = chance => {
  const line = chance.pick<(index: number) => string>([
    index => `k${index}: 1`,
    index => `plugins.${index}: {}`,
    index => `k${index}: &a${index} [*a${index - 1}, *a${index - 1}]`,
    index => `- {endpoint: e${index}, permission: user}`,
    index => `  p${index}: {use: "\${A${index}}"}`,
    index => `  en-${index}: ${node(chance, 1)}`,
  ])
  const head = chance.pick(["", "plugins:\n", "permissions:\n", "languages:\n texts:\n", "k-1: &a-1 x\n"])
  const count = chance.below(chance.pick([20, 200, 2000, 10_000]))
  return head + Array.from({length: count}, (_, index) => line(index)).join("\n")
}

/** A random text that somebody could paste as a configuration. Large ones are rare. */
export const randomDocument: Make = chance =>
  chance.pick([mutated, mutated, mutated, composed, composed, chance.below(3) === 0 ? repeated : wide])(chance)
