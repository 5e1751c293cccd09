/** The MIME types of files that people commonly send, each before its file extensions (IANA). */
const table = `
  application/gzip gz
  application/json json
  application/pdf pdf
  application/vnd.oasis.opendocument.text odt
  application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
  application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
  application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
  application/x-tar tar
  application/xml xml
  application/zip zip
  audio/aac aac
  audio/flac flac
  audio/mp4 m4a
  audio/mpeg mp3
  audio/ogg oga ogg opus
  audio/wav wav
  audio/webm weba
  image/avif avif
  image/bmp bmp
  image/gif gif
  image/heic heic
  image/jpeg jpeg jpg
  image/png png
  image/svg+xml svg
  image/tiff tiff
  image/webp webp
  text/calendar ics
  text/csv csv
  text/html htm html
  text/markdown md
  text/plain txt
  video/matroska mkv
  video/mp4 mp4
  video/ogg ogv
  video/quicktime mov
  video/webm webm
`
const types = new Map(
  table.split("\n").flatMap(line => {
    const [type = "", ...endings] = line.trim().split(" ")
    return endings.map(ending => [ending, type] as const)
  }),
)

export const typeOfName = (name: string): string | undefined =>
  types.get(/\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "")

/** The same, with the type of any bytes for a name that does not show it. */
export const mediaTypeOf = (name: string): string => typeOfName(name) ?? "application/octet-stream"

/** Returns a MIME type without its parameters, in lower case; undefined for anything else. */
export const readType = (text: unknown): string | undefined =>
  typeof text === "string" ? /^\s*([\w.+-]+\/[\w.+-]+)\s*(;|$)/.exec(text)?.[1]?.toLowerCase() : undefined
