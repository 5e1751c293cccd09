import {type FileHandle, open} from "node:fs/promises"

/** The size of the pieces in which a file is read, in bytes. */
const chunkSize = 64 * 1024

/** Returns a file as a stream that reads at the pace of its reader. Opens the file for the first piece. */
export const streamOf = (path: string): ReadableStream<Uint8Array> => {
  let file: FileHandle | undefined
  const close = async () => {
    await file?.close()
    file = undefined
  }
  return new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        try {
          file ??= await open(path, "r")
          // A new buffer for each piece, since the reader may keep it.
          const {bytesRead, buffer} = await file.read(new Uint8Array(chunkSize), 0, chunkSize, null)
          if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead))
          await close()
          controller.close()
        } catch (error) {
          await close().catch(() => {})
          throw error
        }
      },
      cancel: close,
    },
    {highWaterMark: 0},
  )
}
