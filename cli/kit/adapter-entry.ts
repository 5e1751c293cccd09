import {readFileSync} from "node:fs"
import {join, relative} from "node:path"
import {packageRoot} from "../../server/runtime/own-files.ts"

/** The first configuration on the page of an adapter, with the indentation of a list taken off. */
const firstConfiguration = (page: string): string => {
  const [, indent = "", yaml = ""] = /^( *)```yaml\n(.*?)^ *```$/ms.exec(page) ?? []
  return yaml.replaceAll(new RegExp(`^${indent}`, "gm"), "")
}

/** What to do once an adapter has its packages: the entry for the configuration, its secrets, and how to try the account. */
export const nextSteps = (adapter: string, project: string): string => {
  const path = join(packageRoot, "docs/adapters", `${adapter}.md`)
  const page = readFileSync(path, "utf8")
  const entry = firstConfiguration(page)
  const secrets = new Set(Array.from(entry.matchAll(/\$\{(\w+)\}/g), ([, name]) => name))
  const [, id] = /- id: (\S+)/.exec(entry) ?? []
  const hasCheck = page.includes("svc adapter check")
  return [
    "Put this into svc.config.yml, with your own values:",
    "",
    ...entry
      .trimEnd()
      .split("\n")
      .map(line => `  ${line}`),
    "",
    ...(secrets.size === 0 ? [] : [`Put ${[...secrets].join(", ")} into .env.`]),
    ...(id === undefined || !hasCheck
      ? []
      : [
          `Start the Host, then run svc adapter check ${adapter}~${id}: it asks the platform whether the account can work.`,
        ]),
    `The steps on the platform's side, and all keys: ${relative(project, path)}`,
  ].join("\n")
}
