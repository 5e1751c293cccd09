import {existsSync, rmSync} from "node:fs"
import {expect, test, vi} from "vitest"
import {tryRelease} from "../../../server/recovery/release/verification/try-release.ts"
import {projectPaths} from "../../../server/runtime/project.ts"
import {type GitProject, makeGitProject} from "../../support/host/git-project.ts"
import {onBun, pathWith} from "../../support/host/host.ts"
import {packageFiles} from "../../support/release/upgrade.ts"

const build = "mkdir -p dist/plugins && echo one > dist/plugins/one.js && echo . >> $BUILDS"
const mark = ".svc/tmp/release/prepared.json"
const inTree = (path: string) => `.svc/tmp/release/tree/${path}`
const changeSource = (project: GitProject) => project.write(inTree("package.json"), "{}")

/** What changes after a preparation, and how often the build has run after the next trial. */
const cases: readonly (readonly [string, (project: GitProject) => unknown, number])[] = [
  ["nothing", () => {}, 1],
  ["nothing, without git", () => {}, 1],
  ["a source in the tree", changeSource, 1],
  ["a source in the tree, without git", changeSource, 2],
  ["the commit", project => project.git("commit", "--quiet", "--allow-empty", "--message", "next"), 2],
  ["a file, without git", project => project.write("late.txt", ""), 2],
  ["the build", project => project.write(inTree("dist/plugins/one.js"), "two"), 2],
  ["half of the mark is missing", project => project.write(mark, project.read(mark).slice(99)), 2],
  ["the runtime", project => project.write(mark, project.read(mark).replace(/ on \w+ /, " on Other ")), 2],
]

test.each(cases)("a prepared version is used only if it is unchanged: %s", async (name, change, builds) => {
  const project = makeGitProject({files: packageFiles({build})})
  if (name.endsWith("without git")) rmSync(project.path(".git"), {recursive: true})
  for (const n of Array(10).keys()) project.write(`.svc/verifications/z${n}/test.log`, "")
  vi.stubEnv("PATH", pathWith(onBun))
  vi.stubEnv("BUILDS", project.path(".svc/builds.txt"))
  const attempt = (prepared: "keep" | "use") =>
    tryRelease({
      paths: projectPaths(project.folder),
      release: {id: prepared, restorePoint: null},
      prepared,
      environment: "production",
      steps: ["build"],
      limit: 60_000,
      command: "a test",
      signal: new AbortController().signal,
      onBegin: () => {},
      onEnd: () => {},
    })
  expect(await attempt("keep")).toMatchObject({ok: true})
  change(project)
  const {ok, steps} = await attempt("use")
  const isRefused = builds === 2 && !name.startsWith("half")
  expect({ok, isRefused: /\bdiffers\b/.test(steps[0]?.command ?? "")}).toEqual({ok: true, isRefused})
  expect(existsSync(project.path(".svc/verifications/use"))).toBe(true)
  expect(project.read(".svc/builds.txt")).toBe(".\n".repeat(builds))
  expect(project.read(".svc/builds/use/files/dist/plugins/one.js")).toBe("one\n")
  expect([project.read(mark), project.read(inTree("package.json"))]).toEqual(["", ""])
})
