import {readFileSync} from "node:fs"
import {join} from "node:path"
import {Value} from "typebox/value"
import {expect, test} from "vitest"
import {Type} from "../../../shared/type.ts"
import {root} from "../../support/host/runtimes.ts"

const read = (path: string) => readFileSync(join(root, path), "utf8")

/** The part of the dev container specification that svc uses; any other key may be a typo. */
const DevContainer = Type.Object(
  {
    name: Type.String(),
    build: Type.Object({dockerfile: Type.String()}, {additionalProperties: false}),
    init: Type.Boolean(),
    remoteUser: Type.String(),
    postCreateCommand: Type.String(),
    forwardPorts: Type.Array(Type.Integer({minimum: 1, maximum: 65_535})),
    portsAttributes: Type.Record(
      Type.String({pattern: "^\\d+$"}),
      Type.Object({label: Type.String()}, {additionalProperties: false}),
    ),
    customizations: Type.Object({
      vscode: Type.Object({
        extensions: Type.Array(Type.String({pattern: "^[\\w-]+\\.[\\w-]+$"})),
        settings: Type.Record(Type.String(), Type.Unknown()),
      }),
    }),
  },
  {additionalProperties: false},
)

const container = Value.Parse(DevContainer, JSON.parse(read(".devcontainer/devcontainer.json")))
const dockerfile = read(join(".devcontainer", container.build.dockerfile))

/** Returns the arguments after these words in a text's command line; continued lines are joined. */
const wordsAfter = (text: string, words: string): readonly string[] => {
  const line =
    text
      .replaceAll("\\\n", " ")
      .split("\n")
      .find(each => each.includes(words)) ?? ""
  const [command = ""] = line.slice(line.indexOf(words) + words.length).split("&&")
  return command.trim().split(/\s+/)
}

test("the dev container has the Bun version of the README and of CI", () => {
  const [version] = /(?<=npm install --global bun@)\S+/.exec(dockerfile) ?? []
  expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  for (const path of ["README.md", "CONTRIBUTING.md", ".ci/run"]) {
    const named = new Set(read(path).match(/(?<=npx --yes bun@)[\d.]+\d/g))
    expect({path, named: [...named]}).toEqual({path, named: [version]})
  }
})

test("the dev container has the programs that CI installs for the tests", () => {
  const needed = wordsAfter(read(".ci/run"), "  install ")
  expect(needed).toContain("chromium")
  expect(wordsAfter(dockerfile, "--no-install-recommends ")).toEqual(expect.arrayContaining([...needed]))
})

test("the commands of the dev container exist", () => {
  const {scripts} = JSON.parse(read("package.json")) as {scripts: Readonly<Record<string, string>>}
  const commands = container.postCreateCommand.split(" && ")
  expect(commands[0]).toBe("bun install --frozen-lockfile")
  for (const command of commands.slice(1)) expect(scripts).toHaveProperty(command.replace(/^bun run /, ""))
  expect(dockerfile).toContain(`'${container.remoteUser} ALL=`)
})

test("the dev container forwards the port of the starter project", () => {
  const [port] = /(?<=HTTP_PORT:-)\d+/.exec(read("cli/init/template/svc.config.yml")) ?? []
  expect(container.forwardPorts).toEqual([Number(port)])
  expect(Object.keys(container.portsAttributes)).toEqual([port])
})
