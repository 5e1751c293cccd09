import {parseArgs} from "node:util"
import {problems} from "../../shared/problems.ts"
import {readDocuments} from "../../tests/support/docs/documents.ts"
import {Chance} from "../../tests/support/machine/chance.ts"
import {paragraphsOf, sentencesOf} from "./prose.ts"
import {commentsIn, logsIn, readSources, stringsIn} from "./sources.ts"

const usage = `bun run sentences [--seed N] [--count N]

Draws sentences at random and prints each with its place: read them aloud to judge the project's English.
A fifth each comes from the pages, the texts of console and command line, the problems, the comments, and the log.

  --seed N    the same seed draws the same sentences from the same tree (default: 1)
  --count N   how many sentences (default: 50)`

const {values} = parseArgs({
  options: {
    help: {type: "boolean", short: "h", default: false},
    seed: {type: "string", default: "1"},
    count: {type: "string", default: "50"},
  },
})
const print = (text: string) => process.stdout.write(`${text}\n`)
if (values.help) {
  print(usage)
  process.exit(0)
}
const [seed, count] = [values.seed, values.count].map(Number)
if (seed === undefined || count === undefined || !Number.isInteger(seed) || !Number.isInteger(count) || count < 1) {
  process.stderr.write(`--seed and --count are whole numbers, and --count is at least 1\n\n${usage}\n`)
  process.exit(2)
}

interface Sentence {
  readonly place: string
  readonly text: string
}

/** A whole sentence: short labels and rows of tables are not drawn. */
const isSentence = (text: string) => text.split(" ").length >= 4

const sources = readSources()

const fromSources = (texts: typeof commentsIn, paths: RegExp): readonly Sentence[] =>
  sources
    .filter(({path}) => paths.test(path))
    .flatMap(({path, source}) => texts(path, source))
    .flatMap(({path, line, text}) => sentencesOf(text).map(sentence => ({place: `${path}:${line}`, text: sentence})))

const kinds: Readonly<Record<string, readonly Sentence[]>> = {
  pages: readDocuments()
    .filter(({path}) => !path.startsWith("docs/reference/"))
    .flatMap(({path, text}) => paragraphsOf(path, text))
    .flatMap(({path, number, text}) =>
      sentencesOf(text).map(sentence => ({place: `${path}:${number}`, text: sentence})),
    ),
  texts: fromSources(stringsIn, /^(?:cli|server\/console\/web\/texts)\//),
  problems: Object.entries(problems).flatMap(([code, {title, hint}]) =>
    sentencesOf(hint)
      .concat(title)
      .map(text => ({place: `shared/problems.ts ${code}`, text})),
  ),
  comments: fromSources(commentsIn, /^(?:cli|examples|plugins|scripts|server|shared|tests)\//),
  log: fromSources(logsIn, /^(?:cli|server|shared)\//),
}

const chance = new Chance(seed)
const names = Object.keys(kinds)
for (const [index, name] of names.entries()) {
  const share = Math.floor(count / names.length) + (index < count % names.length ? 1 : 0)
  const left = (kinds[name] ?? []).filter(({text}) => isSentence(text))
  print(`\n${name} (${Math.min(share, left.length)} of ${left.length})`)
  for (let n = 0; n < share && left.length > 0; n++) {
    const [drawn] = left.splice(chance.below(left.length), 1)
    print(`  ${drawn?.text.trim().replace(/\s+/g, " ")}\n      ${drawn?.place}`)
  }
}
