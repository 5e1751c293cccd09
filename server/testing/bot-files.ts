import {type Asked, askFor, askHost, readBytes} from "./asking.ts"

export interface BotFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

interface Shown {
  readonly id: string
  readonly from: string
  readonly files: readonly {readonly name: string; readonly type: string}[]
}

/** @internal Returns the files of the bot's messages in a sandbox channel, oldest first. */
export const filesOf = async (host: Asked, channel = "test"): Promise<readonly BotFile[]> => {
  const base = "/api/plugins/sandbox"
  const where = `channel=${encodeURIComponent(channel)}`
  const {items} = await askFor<{items: readonly Shown[]}>(host, `${base}/messages?${where}`)
  const files: BotFile[] = []
  for (const {id, files: shown} of items.filter(({from}) => from === "bot")) {
    for (const [number, {name, type}] of shown.entries()) {
      const path = `${base}/files?${where}&message=${encodeURIComponent(id)}&number=${number}`
      const answer = await askHost(host, path)
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
      files.push({name, type, bytes: await readBytes(answer)})
    }
  }
  return files
}
