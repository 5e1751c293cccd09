import {mkdirSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import satisfies from "semver/functions/satisfies.js"
import {expect, test} from "vitest"
import manifest from "../../../package.json" with {type: "json"}
import {builtIns} from "../../../server/host/plugins/built-in-plugins.ts"
import {createLoad, missingLibraries} from "../../../server/runtime/packages/libraries.ts"
import {makeFolder} from "../../support/machine/folders.ts"

const install = (folder: string, name: string, code: string, type = "module") => {
  const place = join(folder, "node_modules", name)
  mkdirSync(place, {recursive: true})
  writeFileSync(join(place, "package.json"), JSON.stringify({name, version: "1.0.0", type, main: "./a.js"}))
  writeFileSync(join(place, "a.js"), code)
}

test("the built-in adapters name the versions that svc is tested with, as optional peers", async () => {
  const adapters = Object.entries(builtIns).filter(([name]) => name !== "workroom" && name !== "agents")
  const {devDependencies, peerDependencies, peerDependenciesMeta} = manifest
  for (const [name, load] of adapters) {
    for (const [library, version] of Object.entries((await load()).libraries ?? {})) {
      expect({name, version: Reflect.get(devDependencies, library)}).toEqual({name, version})
      expect(satisfies(version, Reflect.get(peerDependencies, library))).toBe(true)
      expect(Reflect.get(peerDependenciesMeta, library)).toEqual({optional: true})
    }
  }
})

const libraries = {"left-line": "1.2.3", "@team/wire": "4.5.6"}

test("a missing library is named with its version, until the project or svc has it", () => {
  const [project, own] = [makeFolder(), makeFolder()]
  expect(missingLibraries(libraries, project, own)).toEqual(["left-line@1.2.3", "@team/wire@4.5.6"])
  install(project, "left-line", "")
  install(own, "@team/wire", "")
  expect(missingLibraries(libraries, project, own)).toEqual([])
})

test("a missing library is a refusal with both commands that install everything missing", async () => {
  const [project, own] = [makeFolder(), makeFolder()]
  const load = createLoad({name: "wire", project}, libraries, own)
  const install = process.versions.bun === undefined ? "npm install --save-exact" : "bun add --exact"
  await expect(load("@team/wire")).rejects.toMatchObject({
    message: "the package @team/wire is not installed",
    reason: "library_missing",
    remediation: `Run svc adapter add wire, or ${install} left-line@1.2.3 @team/wire@4.5.6, then svc runtime reload.`,
  })
})

test("the project's package comes before svc's, as a module of either kind", async () => {
  const [project, own] = [makeFolder(), makeFolder()]
  install(own, "left-line", "export const of = 'svc'")
  const ofSvc = createLoad({name: "wire", project}, libraries, own)
  expect(await ofSvc<{of: string}>("left-line")).toMatchObject({of: "svc"})
  const other = makeFolder()
  install(other, "left-line", "exports.of = 'the project'", "commonjs")
  const load = createLoad({name: "wire", project: other}, libraries, own)
  expect(await load<{of: string}>("left-line")).toMatchObject({of: "the project"})
})

test("a library that does not load, or is not declared, is a refusal", async () => {
  const [project, own] = [makeFolder(), makeFolder()]
  install(project, "left-line", "throw new Error('half of it is there')")
  const load = createLoad({name: "wire", project}, libraries, own)
  await expect(load("left-line")).rejects.toMatchObject({
    message: expect.stringMatching(/^the package left-line in .* failed to load: half of it is there$/),
    remediation: expect.stringMatching(/left-line@1\.2\.3$/),
  })
  await expect(load("fs-extra")).rejects.toMatchObject({reason: "library_undeclared"})
})

test("a package that an account names loads too, and its refusal says how to install it", async () => {
  const [project, own] = [makeFolder(), makeFolder()]
  const load = createLoad({name: "wire", project}, {"left-line": "1.2.3"}, own, ["@team/named"])
  const command = process.versions.bun === undefined ? "npm install --save-exact" : "bun add --exact"
  await expect(load("@team/named")).rejects.toMatchObject({
    message: "the package @team/named is not installed",
    remediation: `Run ${command} left-line@1.2.3 @team/named, then svc runtime reload.`,
  })
  install(project, "@team/named", "exports.of = 'the account'", "commonjs")
  expect(await load<{of: string}>("@team/named")).toMatchObject({of: "the account"})
})
