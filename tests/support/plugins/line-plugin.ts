import {notesIn, pluginWith} from "./plugin-sources.ts"

/** A stand-in for a platform: slot `line`. Notes each attempt in `notes.log`, and sends with the given body. */
export const linePlugin = (send: string, more = ""): string =>
  pluginWith(`
    let attempts = 0
    plugin.adapter("line", {
      history: "none",
      ${more}
      open: async () => ({
        send: async message => {
          attempts++
          const text = message.content.join("")
          note([performance.timeOrigin + performance.now(), message.id, message.channel, text].join(" "))
          ${send}
          return {ids: ["platform-" + attempts]}
        },
      }),
    })`)

/** A body that never ends for a message with this text. */
export const hangingOn = (text: string): string => `if (text === "${text}") await new Promise(() => {})`

export interface Noted {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly id: string
  readonly channel: string
  readonly text: string
}

export const notedBy = (project: {read(path: string): string}): readonly Noted[] =>
  notesIn(project).map(line => {
    const [at, id = "", channel = "", ...text] = line.split(" ")
    return {at: Number(at), id, channel, text: text.join(" ")}
  })
