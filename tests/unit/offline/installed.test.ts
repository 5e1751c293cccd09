import {describe, expect, test} from "vitest"
import {requireInstalled} from "../../../server/host/trial/installed.ts"
import {projectPaths} from "../../../server/runtime/project.ts"
import {formatIssue, Problem} from "../../../shared/problems.ts"
import {makeProject} from "../../support/host/project.ts"

const runtime = {name: "node", version: "22.12.0"} as const

/** The findings for a project whose package.json requests `one`, with version 1.2.3 installed. */
const findings = async (lockfile: string, text: string, manifest: object = {dependencies: {one: "^1.0.0"}}) => {
  const project = makeProject()
  project.write("package.json", JSON.stringify(manifest))
  project.write("node_modules/one/package.json", JSON.stringify({name: "one", version: "1.2.3"}))
  if (lockfile !== "") project.write(lockfile, text)
  try {
    await requireInstalled(projectPaths(project.folder), runtime)
    return []
  } catch (error) {
    if (error instanceof Problem && error.code === "trial_failed") return error.issues.map(formatIssue)
    throw error
  }
}

describe.each<[string, (version: string) => string]>([
  ["package-lock.json", version => JSON.stringify({packages: {"": {}, "node_modules/one": {version}}})],
  ["bun.lock", version => `{\n  "packages": {\n    "one": ["one@${version}", "", {}, "sha512-x=="],\n  }\n}\n`],
  [
    "pnpm-lock.yaml",
    version =>
      `lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      one:\n        specifier: ^1.0.0\n        version: ${version}(peer@1.0.0)\n`,
  ],
  ["yarn.lock", version => `# yarn lockfile v1\n\n\none@^1.0.0, one@^1.1.0:\n  version "${version}"\n  resolved "x"\n`],
])("%s", (name, withVersion) => {
  test("of the installed version passes", async () => expect(await findings(name, withVersion("1.2.3"))).toEqual([]))

  test("of another version is reported", async () => {
    expect(await findings(name, withVersion("1.3.0"))).toEqual([
      `${name}:1:1 one: has version 1.3.0, but 1.2.3 is installed`,
    ])
  })

  test("that lacks a dependency is reported", async () => {
    const text = withVersion("1.2.3").replaceAll("one", "another")
    expect(await findings(name, text)).toEqual([`${name}:1:1 one: is missing, but package.json requires "^1.0.0"`])
  })
})

test("Yarn 2 and newer name the registry in the lockfile", async () => {
  const text = `__metadata:\n  version: 8\n\n"one@npm:^1.0.0":\n  version: 1.3.0\n  resolution: "one@npm:1.3.0"\n`
  expect(await findings("yarn.lock", text)).toHaveLength(1)
})

test("a dependency that is not installed is reported; the SDK comes from the running svc", async () => {
  expect(await findings("", "", {dependencies: {none: "1", "svc-runtime": "1"}})).toEqual([
    "package.json:1:1 dependencies.none: is not installed",
  ])
})

test("a runtime that engines does not admit is reported, but only the running one", async () => {
  expect(await findings("", "", {engines: {node: ">=24", bun: ">=99"}})).toEqual([
    `package.json:1:1 engines.node: requires ">=24", but this is node 22.12.0`,
  ])
})

test("a binary lockfile and packages from a path have no versions to check", async () => {
  expect(await findings("bun.lockb", "\0\0")).toEqual([])
  expect(await findings("package-lock.json", '{"packages": {}}', {dependencies: {one: "file:../one"}})).toEqual([])
})
