import {Readable} from "node:stream"
import {Command, Option} from "clipanion"
import {type Imported, importStopped} from "../../server/project/offline/checkpoint.ts"
import {openFile} from "../../server/recovery/checkpoint/archive-source.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import type {HostClient} from "../kit/host-client.ts"
import {facts} from "../kit/print.ts"

export class CheckpointImport extends CheckpointCommand {
  static override usage = Command.Usage({
    description: "verify an archive and add it to the project's checkpoints",
    details: `
      A running Host imports the archive without interruption; if none runs, this command does. The checkpoint is marked as uploaded: it is not a backup of this project, so it never counts as the newest verified one, and \`newest\` does not name it.

      The import is refused, and leaves nothing behind, if the archive cannot be restored, contains the value of a secret, or has the id of another checkpoint.
    `,
    examples: [
      ["From a file", "svc checkpoint import /backup/bot.tar.gz"],
      ["From another machine", "ssh backup 'cat bot.tar' | svc checkpoint import -"],
    ],
  })

  archive = Option.String({name: "archive"})

  async run(): Promise<void> {
    const host = await this.host()
    const {id, isKnown} = host === undefined ? await this.#importHere() : await this.#send(host)
    const restore = `svc checkpoint restore ${id}`
    this.show({id, isKnown, restore}, () =>
      facts([
        ["id", id],
        ["state", isKnown ? "already imported, with the same bytes" : "verified, uploaded"],
        ["restore", `stop the Host, then: ${restore} --dry-run; ${restore}`],
      ]),
    )
  }

  #importHere(): Promise<Imported> {
    return this.withProgress(progress =>
      importStopped(this.stopped, this.archive === "-" ? process.stdin : this.archive, progress),
    )
  }

  async #send(host: HostClient): Promise<Imported> {
    const source = this.archive === "-" ? process.stdin : await openFile(this.archive)
    const begun = await this.withProgress(show =>
      host.put(
        "/api/checkpoints/archive",
        streamOf(source, done => show("sending the archive", done, 0)),
      ),
    )
    await this.follow(begun, async () => (await host.get("/api/checkpoints/archive")).task)
    // After a later upload, the Host describes that one.
    const {id} = await this.store.get(begun.id)
    return {id, isKnown: begun.state === "done"}
  }
}

/** Turns a source into a request body that counts the bytes as they are read. */
const streamOf = (source: Readable, onBytes: (done: number) => void): ReadableStream<Uint8Array> => {
  let done = 0
  const counted = async function* () {
    for await (const piece of source as AsyncIterable<Uint8Array>) {
      done += piece.length
      onBytes(done)
      yield piece
    }
  }
  return Readable.toWeb(Readable.from(counted(), {objectMode: false})) as unknown as ReadableStream<Uint8Array>
}
