import {Jimp} from "jimp"
import {channelType, definePlugin, h, Problem, type Session, type SessionFile, Type, UserError} from "svc-runtime"
import {readHeader} from "./header.ts"

const least = 16
const most = 4096

const Settings = Type.Object({
  width: Type.Integer({minimum: least, maximum: most, default: 640, description: "Width without the command"}),
  megabytes: Type.Number({exclusiveMinimum: 0, maximum: 32, default: 8, description: "The largest file it reads"}),
  megapixels: Type.Number({
    exclusiveMinimum: 0,
    maximum: 64,
    default: 8,
    description: "The largest picture that the plugin reads or writes",
  }),
})

const isPicture = ({element, type = ""}: SessionFile): boolean => element.type === "img" || type.startsWith("image/")

/** The bot answers errors that the sender can fix. Other errors fail the handler, and the Host retries it. */
const refusals: Readonly<Record<string, (name: string, megabytes: number) => string>> = {
  file_too_large: (name, megabytes) => `${name} is larger than ${megabytes} MB. Send a smaller one.`,
  file_refused: name => `I am not allowed to open the address of ${name}. Send the picture itself.`,
}

export default definePlugin({
  description: "Resizes pictures",
  config: Settings,
  setup(plugin, {width: usualWidth, megabytes, megapixels}) {
    const read = async (file: SessionFile): Promise<Buffer> => {
      try {
        const stream = await file.read({limit: Math.floor(megabytes * 1_000_000)})
        return Buffer.from(await new Response(stream).arrayBuffer())
      } catch (error) {
        const refusal = error instanceof Problem ? refusals[error.code] : undefined
        throw refusal === undefined ? error : new UserError(refusal(file.name, megabytes))
      }
    }

    const requireFewPixels = (name: string, width: number, height: number) => {
      if (width * height <= megapixels * 1_000_000) return
      throw new UserError(`${name} has ${width} × ${height} pixels. I accept at most ${megapixels} million.`)
    }

    const resize = async (name: string, bytes: Buffer, width: number) => {
      const header = readHeader(bytes)
      if (header === undefined) throw new UserError(`${name} is not a PNG or JPEG picture.`)
      requireFewPixels(name, header.width, header.height)
      const damaged = new UserError(`${name} is damaged, or not a plain PNG or JPEG. Save it again and resend it.`)
      if (!header.isPlain) throw damaged
      const jpeg = {maxResolutionInMP: megapixels, tolerantDecoding: false}
      const picture = await Jimp.fromBuffer(bytes, {"image/jpeg": jpeg}).catch(() => Promise.reject(damaged))
      const height = Math.max(1, Math.round((picture.height * width) / picture.width))
      const isPng = header.type === "image/png"
      const title = `${name.replace(/\.[^.]*$/, "")}-${width}.${isPng ? "png" : "jpg"}`
      requireFewPixels(title, width, height)
      picture.resize({w: width, h: height})
      const made = isPng ? picture.getBuffer("image/png") : picture.getBuffer("image/jpeg", {quality: 85})
      return {title, type: header.type, src: new Uint8Array(await made)}
    }

    // The plugin decodes one picture at a time, because each needs hundreds of megabytes.
    let turn: Promise<unknown> = Promise.resolve()
    const inTurn = <T>({signal}: Session, work: () => Promise<T>): Promise<T> => {
      const done = turn.then(() => {
        signal.throwIfAborted()
        return work()
      })
      turn = done.catch(() => {})
      return done
    }

    const answer = async (session: Session, files: readonly SessionFile[], width: number) => {
      if (files.length > 4) throw new UserError("Send at most 4 pictures in one message.")
      for (const file of files) {
        const bytes = await read(file)
        const resized = await inTurn(session, () => resize(file.name, bytes, width))
        await session.send(h("img", resized)).catch(error => {
          if (!(error instanceof Problem) || error.code !== "file_too_large") throw error
          throw new UserError(`${resized.title} is too large for this platform. Ask for a smaller width.`)
        })
      }
    }

    const definition = {description: "Resize the picture that you send with the command", examples: ["320"], retries: 3}
    plugin.command("resize <width:integer>", definition, ({args: {width}, session}) => {
      if (width < least || width > most) throw new UserError(`Choose a width from ${least} to ${most}: /resize 320.`)
      if (session.files.length === 0) throw new UserError(`Send a PNG or JPEG picture with /resize ${width}.`)
      return answer(session, session.files, width)
    })

    plugin.on("message-created", {name: "pictures", retries: 3}, session => {
      const {channel, files, text} = session
      if (channel?.type !== channelType.direct || text.trim() !== "" || !files.some(isPicture)) return
      return answer(session, files.filter(isPicture), usualWidth)
    })
  },
})
