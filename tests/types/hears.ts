import {definePlugin, type HearsCall, type Match} from "svc-runtime"

const wordOf = ({match}: HearsCall): string => match.named.word ?? match.text

/** Checked by the compiler: a line below an `@ts-expect-error` must fail to compile, all others must compile. */
export default definePlugin({
  setup(plugin) {
    plugin.hears(/(\d+) cups? of (?<drink>\w+)/i, ({match, session}) => {
      const text: string = match.text
      const count: string | undefined = match.groups[0]
      const drink: string | undefined = match.named.drink
      // @ts-expect-error: a group may not be part of the match
      const sure: string = match.groups[0]
      return `${text} ${count} ${drink} ${sure} ${session.user?.id}`
    })
    plugin.hears("(?<count>\\d+) cups? of (?P<drink>\\w+)", {name: "cups", retries: 2}, ({match}) => {
      const count: string | undefined = match.named.count
      const drink: string | undefined = match.named.drink
      // @ts-expect-error: the pattern has no group of this name
      const size = match.named.size
      return `${count} ${drink} ${size}`
    })
    const pattern: string = "known only when it runs"
    plugin.hears(pattern, ({match}) => match.named.anything)
    plugin.hears(/(?<word>\w+)/, wordOf)
    plugin.hears("(?<word>\\w+)", {permission: "trusted", cooldown: {per: "user", seconds: 5}}, async call =>
      wordOf(call),
    )
    for (const each of [/one/, "two"]) plugin.hears(each, wordOf)
    // @ts-expect-error: not a pattern
    plugin.hears(1, () => "")
    // @ts-expect-error: an unknown permission
    plugin.hears(/a/, {permission: "root"}, () => "")
    // @ts-expect-error: help does not list patterns, so a description is useless
    plugin.hears(/a/, {description: "hears a"}, () => "")
    // @ts-expect-error: the handler must come last
    plugin.hears(/a/, () => "", {name: "a"})
    // @ts-expect-error: patterns have no arguments
    plugin.hears(/a/, ({args}) => args.a)
  },
})

const match: Match<"(?<a>.)(?<b>.)"> = {text: "xy", groups: ["x", "y"], named: {a: "x", b: "y"}}
// @ts-expect-error: a group of the pattern is missing
const missing: Match<"(?<a>.)(?<b>.)"> = {...match, named: {a: "x"}}
void missing
