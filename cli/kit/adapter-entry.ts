import {readFileSync} from "node:fs"
import {join, relative} from "node:path"
import {packageRoot} from "../../server/runtime/own-files.ts"

/** Returns the first configuration on the page of an adapter, without the indentation of a list. */
const firstConfiguration = (page: string): string => {
  const [, indent = "", yaml = ""] = /^( *)```yaml\n(.*?)^ *```$/ms.exec(page) ?? []
  return yaml.replaceAll(new RegExp(`^${indent}`, "gm"), "")
}

/** Returns the steps after the packages are installed: the configuration entry, its secrets, and how to check the account. */
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
      : [`Start the Host, then run svc adapter check ${adapter}~${id}: it checks the account with the platform.`]),
    `For the steps on the platform, and for all keys, see ${relative(project, path)}`,
  ].join("\n")
}
