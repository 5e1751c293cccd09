import {execFileSync} from "node:child_process"
import {expect, test} from "vitest"
import {faultOf, readCommits} from "../../../scripts/words/subjects.ts"
import {root} from "../../support/host/runtimes.ts"

/** Commits before this were made without the check; some of their subjects are longer. */
const since = new Date("2026-11-28T05:00:00Z")

const git = (...args: string[]): string | undefined => {
  try {
    return execFileSync("git", args, {cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"]})
  } catch {
    return undefined
  }
}

/** Returns why the history cannot be read: a repository around an unpacked release is another one's history. */
const missingHistory = (): string | undefined => {
  if (git("rev-parse", "--show-prefix") !== "\n") return "this folder has no git history"
  return git("rev-parse", "--is-shallow-repository") === "true\n" ? "the git history is shallow" : undefined
}

test("every commit's subject is area: imperative, at most 72 characters", context => {
  const missing = missingHistory()
  if (missing !== undefined) return context.skip(missing)
  const commits = readCommits(git("log", "--no-merges", "--format=%h%x09%ct%x09%s") ?? "")
  expect(commits).not.toEqual([])
  const wrong = commits.filter(({committed, subject}) => committed >= since && faultOf(subject) !== undefined)
  expect(wrong.map(({hash, subject}) => `${hash} ${subject}: ${faultOf(subject)}`)).toEqual([])
})

test.each([
  "inbox: reject sends to unknown endpoints",
  "cli, docs: name the command that repairs a build",
  "satori-bridge: answer",
  `tests: ${"a".repeat(65)}`,
])("%j is a subject", subject => expect(faultOf(subject)).toBeUndefined())

test.each([
  `tests: ${"a".repeat(66)}`,
  "reject sends to unknown endpoints",
  "Inbox: reject sends",
  "inbox: Reject sends",
  "inbox:reject sends",
  "cli,docs: name the command",
  "inbox: reject sends.",
  "inbox: ",
])("%j is no subject", subject => expect(faultOf(subject)).toBeDefined())

test("a log is read with the time of each commit", () => {
  expect(readCommits("3ed442b\t1795728000\tdocs: say it\twith a tab\n")).toEqual([
    {hash: "3ed442b", committed: new Date("2026-11-26T21:20:00Z"), subject: "docs: say it\twith a tab"},
  ])
  expect(readCommits("")).toEqual([])
})
