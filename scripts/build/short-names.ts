import type {Plugin} from "vite"

/**
 * Renames the values of each message of the console's texts: `"gone(name)": "{name} is gone"` becomes
 * `"gone(a)": "{a} is gone"`. Only the message itself uses these names, and they are one percent of the first load.
 */
export const shortenNames = (json: string): string =>
  json.replace(/"(\w+)\(([^)]+)\)": ("(?:[^"\\]|\\.)*")/g, (_, key: string, names: string, message: string) => {
    const given = names.replaceAll("#", "").split(", ")
    const short = (name: string) => String.fromCharCode(97 + given.indexOf(name))
    const renamed = message.replace(/\{(\w+)(?=[,}])/g, (found, name: string) =>
      given.includes(name) ? `{${short(name)}` : found,
    )
    return `"${key}(${given.map(short).join(", ")})": ${renamed}`
  })

export const shortNames: Plugin = {
  name: "short-names",
  enforce: "pre",
  transform: {filter: {id: /\/texts\/\w+\/[\w-]+\.json$/}, handler: shortenNames},
}
