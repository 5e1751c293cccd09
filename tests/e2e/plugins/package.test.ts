import {cpSync, mkdirSync, readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {version} from "../../../server/runtime/version.ts"
import {readDocuments} from "../../support/docs/documents.ts"
import {bunAnd, makeProject, onBun, pluginWith, runProcess, startHost, svc} from "../../support/host/host.ts"

const page = readDocuments().find(({path}) => path === "docs/plugins/publish.md")
const manifest = page?.fences.find(({language}) => language === "json")?.text ?? ""

const config = "http: {port: 0}\nplugins:\n  sandbox: {}\n  hello: {}\n"

/** Packs a project that follows the page, as npm would publish it. Returns the unpacked folder. */
const publish = async (): Promise<string> => {
  const author = makeProject({
    config,
    plugins: {
      hello: `import {greeting} from "../lib/words.ts"\n${pluginWith('plugin.command("hello", () => greeting)')}`,
    },
    files: {"lib/words.ts": 'export const greeting: string = "Hello from a package."\n', "package.json": manifest},
  })
  expect(await svc(onBun, author, ["build"])).toMatchObject({code: 0})
  const packed = await runProcess(["npm", "pack", "--silent"], {cwd: author.folder})
  expect(packed).toMatchObject({code: 0})
  await runProcess(["tar", "xzf", packed.stdout.trim()], {cwd: author.folder})
  return author.path("package")
}

describe.each(bunAnd("node24"))("a plugin's package on $name", runtime => {
  test("runs in another project, but not with an unsuitable svc version", async () => {
    const published = await publish()
    const project = makeProject({config})
    const place = join(project.folder, "node_modules/svc-plugin-hello")
    mkdirSync(place, {recursive: true})
    cpSync(published, place, {recursive: true})
    expect(await (await startHost({runtime, project})).say("/hello")).toEqual(["Hello from a package."])
    expect((await svc(runtime, project, ["plugin", "list"])).stdout).toContain("svc-plugin-hello 1.0.0")

    const manifestOfPackage = join(place, "package.json")
    const forAnother = readFileSync(manifestOfPackage, "utf8").replace('"^0.1.0"', '"^7.0.0"')
    writeFileSync(manifestOfPackage, forAnother)
    const refused = await svc(runtime, project, ["config", "check"])
    expect({code: refused.code, told: refused.stderr}).toEqual({
      code: 1,
      told: expect.stringContaining(
        `plugins.hello: svc-plugin-hello 1.0.0 needs svc-runtime "^7.0.0", but this is ${version}`,
      ),
    })
  })
})
