import {hash, randomUUID} from "node:crypto"
import {cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync} from "node:fs"
import {tmpdir} from "node:os"
import {basename, join} from "node:path"
import {Check} from "typebox/schema"
import {parse} from "yaml"
import {assembleOnce, runOnce} from "../../server/host/once/assemble-once.ts"
import {loadRuntime} from "../../server/runtime/engines/load-runtime.ts"
import {createLogs} from "../../server/runtime/logs/log.ts"
import {methodNames} from "../../shared/sdk/content/satori-methods.ts"
import {Closed, type Static, Type} from "../../shared/type.ts"
import {bundleOf, readyPlugins} from "../ready-plugins.ts"
import {root} from "../root.ts"
import {code, prose, table} from "./markdown.ts"

const folderOf = (name: string) => join(root, "plugins", name)

/** Resolves to what a plugin publishes with the configuration of its project. Connects and sends nothing. */
const capabilitiesOf = async (name: string) => {
  const project = join(tmpdir(), `svc-list-${randomUUID()}`)
  const isSource = (path: string) => !/^(\.svc|data|dist|node_modules|tests)$/.test(basename(path))
  try {
    cpSync(folderOf(name), project, {recursive: true, filter: path => path === folderOf(name) || isSource(path)})
    const variables = readFileSync(join(project, "svc.config.yml"), "utf8").matchAll(/\$\{([A-Z_]+)\}/g)
    writeFileSync(join(project, ".env"), Array.from(variables, ([, each]) => `${each}=${randomUUID()}\n`).join(""))
    const logs = createLogs({level: "fatal", format: "pretty", colors: false, write: () => {}})
    return await runOnce(
      {project, mode: "test", environment: "test", logs},
      await loadRuntime(),
      async once => {
        const database = await once.open(join(project, "data.sqlite"))
        const cache = join(project, "cache")
        const given = {...once, database, restorePoint: "none", builds: "current", cache} as const
        const {generation} = await assembleOnce(given)
        return generation.snapshot.capabilities.filter(({owner}) => owner === `root/${name}`)
      },
      ({detail}) => {
        throw new Error(`${name}: ${detail}`)
      },
    )
  } finally {
    rmSync(project, {recursive: true, force: true})
  }
}

/** The features of an endpoint that a plugin's source asks for, each with the code that does. */
const features: Readonly<Record<string, RegExp>> = {
  edit: /session\.(edit|update)\(/,
  delete: /session\.delete\(/,
  react: /session\.react\(/,
  open: /\.send\(\{endpoint(: [\w.]+)?, user/,
  buttons: /\.button\(/,
  selects: /\.select\(/,
  forms: /session\.form\(/,
}

const platformMethod = /"((?:discord|matrix|onebot|slack|telegram|xmpp)\/\w+)"/g

/** Returns the features and methods that the sources of a plugin name. */
const usesOf = (name: string): readonly string[] => {
  const files = readdirSync(folderOf(name), {recursive: true, encoding: "utf8"})
  const sources = files.filter(file => /^(?:plugins|lib)\/.*\.ts$/.test(file))
  const text = sources.map(file => readFileSync(join(folderOf(name), file), "utf8")).join("\n")
  const asked = Object.keys(features).filter(feature => features[feature]?.test(text))
  const methods = methodNames.filter(method => text.includes(`"${method}"`))
  const own = Array.from(text.matchAll(platformMethod), ([, method = ""]) => method)
  return [...asked, ...methods, ...new Set(own)]
}

const listOf = (names: readonly string[]): string => names.map(code).join(", ") || "–"

const rowOf = async (name: string) => {
  const {description, version, svc} = JSON.parse(readFileSync(join(folderOf(name), "package.json"), "utf8")) as {
    readonly description: string
    readonly version: string
    readonly svc?: {readonly needs: readonly string[]}
  }
  const capabilities = await capabilitiesOf(name)
  const named = (kind: string) => capabilities.filter(each => each.kind === kind).map(each => each.name)
  const commands = named("command").map(each => `/${each.replaceAll(".", " ")}`)
  const hooks = named("webhook").map(each => `/hooks/${name}/${each}`)
  const access = named("access").map(each => `${each}: true`)
  return {
    shown: [
      `[${name}](../../plugins/${name}/README.md)`,
      `${prose(description)}${svc === undefined ? "" : `; needs the plugin ${listOf(svc.needs)}`}`,
      listOf([...commands, ...hooks]),
      listOf([...access, ...usesOf(name)]),
    ],
    file: [code(`svc-plugin-${name}`), version, code(hash("sha256", await bundleOf(root, name)))],
  }
}

/** A plugin of somebody else, as its file in docs/plugins/list/ describes it. */
const Entry = Closed({
  package: Type.String({pattern: "^(@[a-z0-9-]+/)?svc-plugin-[a-z0-9-]+$"}),
  about: Type.String({minLength: 10, maxLength: 100}),
  source: Type.String({pattern: "^https://\\S+$"}),
  version: Type.String({pattern: "^\\d+\\.\\d+\\.\\d+$"}),
  integrity: Type.String({pattern: "^sha512-[A-Za-z0-9+/]{86}==$"}),
  needs: Type.Array(Type.String()),
})
type Entry = Static<typeof Entry>

const isEntry = (value: unknown): value is Entry => Check(Entry, value)

const readEntries = (): readonly Entry[] => {
  const folder = join(root, "docs/plugins/list")
  const files = existsSync(folder) ? readdirSync(folder).filter(file => file.endsWith(".yml")) : []
  return files.sort().map(file => {
    const entry: unknown = parse(readFileSync(join(folder, file), "utf8"))
    if (!isEntry(entry))
      throw new Error(`docs/plugins/list/${file} does not have the form that docs/plugins/list.md shows`)
    return entry
  })
}

const othersTable = (entries: readonly Entry[]): string =>
  table(
    ["Package", "What it does", "Asks of a platform", "Version", "Integrity"],
    entries.map(({package: name, about, source, version, integrity, needs}) => [
      `[${code(name)}](${source})`,
      prose(about),
      listOf(needs),
      version,
      code(integrity),
    ]),
  )

const written = {
  start: `At the end you know which plugins you can use without programming, and what each may do.

The page of each plugin has the command that adds it, and its settings.`,
  needs: `The last column lists what the source of a plugin asks of a platform.
The table of [features](../reference/features.md) shows which platforms have it.
The bot's account there needs the right to do it.
\`platform: true\` means that it calls [a platform's own methods](act.md#a-platforms-own-methods).

Plugins run in the Host's process [with its rights](../write-a-plugin.md#isolation).`,
  files: `\`sha256sum node_modules/svc-plugin-<name>/dist/plugins/<name>.js\` prints the hash of an installed plugin.
Compare it with this table at the git tag of its release: the hash changes with the plugin's source.`,
  others: `To list a plugin that you have [published](publish.md), send a pull request that adds \`docs/plugins/list/<name>.yml\`:

\`\`\`yaml
package: svc-plugin-hello
about: Greets people who join
source: https://github.com/ann/svc-plugin-hello
version: 1.0.0
integrity: sha512-…
needs: [edit, guild.member.list]
\`\`\`

\`npm view <package>@<version> dist.integrity\` prints the integrity.
\`needs\` has what the plugin asks of a platform, as in the table above.
\`bun run reference\` then adds the plugin to this page.
A maintainer reads the source of that version before merging.
The list says nothing about later versions, and svc never installs from it.`,
}

/** Returns the page of the plugins that are ready to use. */
export const pluginsPage = async (): Promise<string> => {
  const rows = []
  // One Host after another: each loads its project into this process.
  for (const name of readyPlugins(root)) rows.push(await rowOf(name))
  const entries = readEntries()
  const parts = [
    "# Ready plugins",
    "<!-- Generated by bun run reference: change scripts/reference/plugins.ts. -->",
    written.start,
    table(
      ["Plugin", "What it does", "Commands and webhooks", "Asks of a platform"],
      rows.map(({shown}) => shown),
    ),
    written.needs,
    "## Check what you installed",
    written.files,
    table(
      ["Package", "Version", "SHA-256"],
      rows.map(({file}) => file),
    ),
    "## Plugins of others",
    entries.length === 0 ? "There are none yet." : othersTable(entries),
    written.others,
  ]
  return `${parts.join("\n\n")}\n`
}
