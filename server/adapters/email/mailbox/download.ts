import {Readable} from "node:stream"
import type {ImapFlow} from "imapflow"
import type {FileRef, Sender} from "../../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import {openFolder} from "./mailbox.ts"
import type {Visits} from "./visits.ts"

/** The place of a file: a part of a mail in the account's folder. */
export interface FilePlace {
  readonly validity: string
  readonly uid: number
  readonly part: string
}

export const fileSource = ({validity, uid, part}: FilePlace): string => `mail:${validity}/${uid}/${part}`

/** Returns undefined for an address of another kind. */
export const parseFileSource = (src: string | undefined): FilePlace | undefined => {
  const [, validity, uid, part] = /^mail:(\d{1,20})\/(\d{1,10})\/(\d+(?:\.\d+)*)$/.exec(src ?? "") ?? []
  if (validity === undefined || uid === undefined || part === undefined) return undefined
  return {validity, uid: Number(uid), part}
}

/**
 * Opens a file of a mail over a separate connection. The mail may be in the folder, or in the one to which it was
 * moved.
 */
export const createDownload =
  (account: AccountSettings, visits: Visits): NonNullable<Sender["download"]> =>
  async ({src, message}, signal) => {
    const place = parseFileSource(src)
    if (place === undefined) return undefined
    const {client, close} = await visits(signal)
    try {
      const uid = await find(client, account, place, message)
      const {content} = uid === undefined ? {} : await client.download(String(uid), place.part, {uid: true})
      if (content === undefined) {
        close()
        return new Response("the mail, or this part of it, no longer exists", {status: 404})
      }
      // The connection ends with the stream.
      content.once("close", close)
      return Readable.toWeb(content) as unknown as ReadableStream<Uint8Array>
    } catch (error) {
      close()
      throw error
    }
  }

const find = async (
  client: ImapFlow,
  {folder = "INBOX", moveTo}: AccountSettings,
  {validity, uid}: FilePlace,
  message: FileRef["message"],
): Promise<number | undefined> => {
  const {uidValidity} = await openFolder(client, folder, {readOnly: true})
  if (String(uidValidity) === validity) {
    const found = await client.search({uid: String(uid)}, {uid: true})
    if (Array.isArray(found) && found.includes(uid)) return uid
  }
  if (message === undefined) return undefined
  for (const place of moveTo === undefined ? [folder] : [moveTo, folder]) {
    await openFolder(client, place, {readOnly: true})
    const found = await client.search({header: {"message-id": `<${message}>`}}, {uid: true})
    const last = Array.isArray(found) ? found.at(-1) : undefined
    if (last !== undefined) return last
  }
  return undefined
}
