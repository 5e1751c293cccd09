import assert from "node:assert/strict"
import {test} from "node:test"
import {Jimp} from "jimp"
import {plugin} from "svc-runtime/test"
import files from "../plugins/files/index.ts"

type PictureType = "image/png" | "image/jpeg"

/** A picture with a gradient, so that it has more than one color. */
const picture = async (width: number, height: number, type: PictureType): Promise<Buffer> => {
  const made = new Jimp({width, height})
  for (let at = 0; at < made.bitmap.data.length; at++) made.bitmap.data[at] = at % 4 === 3 ? 255 : (at >> 4) & 255
  return Buffer.from(await made.getBuffer(type))
}

const png = await picture(400, 300, "image/png")
const jpeg = await picture(300, 400, "image/jpeg")

/** Returns a copy of the picture with other bytes at one place. */
const changed = (bytes: Buffer, at: number, ...values: readonly number[]): Buffer => {
  const copy = Buffer.from(bytes)
  copy.set(values, at)
  return copy
}

const sizeOf = async (bytes: Uint8Array): Promise<string> => {
  const {width, height} = await Jimp.fromBuffer(Buffer.from(bytes))
  return `${width} × ${height}`
}

test("resizes the picture of a command, and keeps its kind", () =>
  plugin.test(files, async bot => {
    const sent = [
      {name: "cat.png", type: "image/png", bytes: png},
      {name: "dog.JPG", type: "image/jpeg", bytes: jpeg},
    ]
    await bot.say("/resize 200", {files: sent, channel: "team", group: true})
    const answers = await bot.files("team")
    assert.deepEqual(
      answers.map(({name, type}) => `${name} ${type}`),
      ["cat-200.png image/png", "dog-200.jpg image/jpeg"],
    )
    assert.deepEqual(await Promise.all(answers.map(({bytes}) => sizeOf(bytes))), ["200 × 150", "200 × 267"])
  }))

test("resizes only a picture without text in a direct chat", () =>
  plugin.test(files, {config: {width: 64}}, async bot => {
    const cat = {name: "cat", type: "image/png", bytes: png}
    await bot.say("", {files: [cat, {name: "notes.txt", type: "text/plain", bytes: "hello"}]})
    const [answer, ...others] = await bot.files()
    assert.deepEqual({name: answer?.name, others}, {name: "cat-64.png", others: []})
    assert.equal(await sizeOf(answer?.bytes ?? new Uint8Array()), "64 × 48")

    assert.deepEqual(await bot.say("what is this?", {files: [cat]}), [])
    assert.deepEqual(await bot.say("", {files: [cat], channel: "team", group: true}), [])
    assert.deepEqual(await bot.say("", {files: [{name: "notes.txt", type: "text/plain", bytes: "hello"}]}), [])
    assert.equal((await bot.files()).length, 1)
  }))

test("explains what is wrong with a picture, and sends no answer with pictures", () =>
  plugin.test(files, {config: {megabytes: 0.2, megapixels: 1}}, async bot => {
    const resize = (name: string, bytes: Uint8Array | string, width = 200) =>
      bot.say(`/resize ${width}`, {
        files: [
          {name: "cat.png", type: "image/png", bytes: png},
          {name, bytes},
        ],
      })
    const damaged = (name: string) => [`${name} is damaged, or not a plain PNG or JPEG. Save it again and resend it.`]

    assert.deepEqual(await bot.say("/resize 200"), ["Send a PNG or JPEG picture with /resize 200."])
    for (const width of [-5, 0, 15, 4097])
      assert.deepEqual(await resize("a.png", png, width), ["Choose a width from 16 to 4096: /resize 320."])
    assert.match(String(await bot.say("/resize wide")), /width/)

    assert.deepEqual(await resize("notes.txt", "hello"), ["notes.txt is not a PNG or JPEG picture."])
    assert.deepEqual(await resize("empty.png", ""), ["empty.png is not a PNG or JPEG picture."])
    assert.deepEqual(await resize("short.png", png.subarray(0, 20)), ["short.png is not a PNG or JPEG picture."])
    for (const part of [0.2, 0.5, 0.9, 0.99]) {
      assert.deepEqual(await resize("cut.png", png.subarray(0, png.length * part)), damaged("cut.png"))
      assert.deepEqual(await resize("cut.jpg", jpeg.subarray(0, jpeg.length * part)), damaged("cut.jpg"))
    }
    assert.deepEqual(await resize("head.jpg", jpeg.subarray(0, 5)), damaged("head.jpg"))
    assert.deepEqual(await resize("large.png", Buffer.alloc(200_001)), [
      "large.png is larger than 0.2 MB. Send a smaller one.",
    ])
    assert.deepEqual(await bot.files(), [])
  }))

test("decodes no picture that unpacks to more than the limit", () =>
  plugin.test(files, {config: {megapixels: 1}}, async bot => {
    const resize = (name: string, bytes: Uint8Array, width = 200) =>
      bot.say(`/resize ${width}`, {files: [{name, bytes}]})
    const damaged = /is damaged, or not a plain PNG or JPEG/

    // The width and height of a PNG are at 16 and 20.
    const bomb = changed(png, 16, 0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30)
    assert.deepEqual(await resize("bomb.png", bomb), ["bomb.png has 30000 × 30000 pixels. I accept at most 1 million."])
    const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
    assert.deepEqual(await resize("bomb.jpg", changed(jpeg, frame + 5, 0x75, 0x30, 0x75, 0x30)), [
      "bomb.jpg has 30000 × 30000 pixels. I accept at most 1 million.",
    ])
    const header = png.subarray(8, 33)
    const twice = Buffer.concat([png.subarray(0, 33), changed(header, 8, 0, 0, 0x75, 0x30), png.subarray(33)])
    assert.match(String(await resize("twice.png", twice)), damaged)
    assert.match(String(await resize("interlaced.png", changed(png, 28, 1))), damaged)
    const small = await picture(16, 16, "image/jpeg")
    const scan = small.subarray(small.indexOf(Buffer.from([0xff, 0xda])), -2)
    const scans = Buffer.concat([small.subarray(0, -2), ...Array.from({length: 30}, () => scan), small.subarray(-2)])
    assert.match(String(await resize("scans.jpg", scans)), damaged)

    const tower = await picture(16, 1000, "image/png")
    assert.deepEqual(await resize("tower.png", tower, 160), [
      "tower-160.png has 160 × 10000 pixels. I accept at most 1 million.",
    ])
    assert.deepEqual(await bot.files(), [])
    // A picture that is one line high keeps that line.
    await resize("line.png", await picture(1000, 1, "image/png"), 100)
    assert.equal(await sizeOf((await bot.files())[0]?.bytes ?? new Uint8Array()), "100 × 1")
  }))
