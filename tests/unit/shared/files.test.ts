import {describe, expect, test} from "vitest"
import {h, renderContent} from "../../../shared/sdk/content/elements.ts"
import {
  fetchedOf,
  fileSource,
  pathOf,
  projectFile,
  storedHash,
  storedSource,
} from "../../../shared/sdk/content/file-source.ts"
import {parseContent} from "../../../shared/sdk/content/parse-content.ts"
import {file} from "../../../shared/sdk/content/shorthands.ts"
import {textOf} from "../../../shared/sdk/content/text.ts"

describe("the result of file", () => {
  test("shows its path, name and type", () => {
    expect(pathOf(projectFile("a.png"))).toBe("a.png")
    expect(projectFile("a.png", {name: "b.png", type: "image/png"})).toMatchObject({name: "b.png", type: "image/png"})
  })

  test("does not survive JSON, a copy of its fields, or a structured clone", () => {
    const made = projectFile("a.png", {name: "b.png"})
    expect(pathOf(JSON.parse(JSON.stringify(made)))).toBeUndefined()
    expect(pathOf({...made})).toBeUndefined()
    expect(pathOf(structuredClone(made))).toBeUndefined()
  })

  test("is never text, and no other value is one", () => {
    for (const value of ["a.png", {path: "a.png"}, {"Symbol(svc.file)": "a.png"}, null, undefined, 1, []])
      expect(pathOf(value)).toBeUndefined()
  })

  test.each([[""], ["a\0b"], [undefined], [1], [new URL("file:///etc/passwd")]])("is refused for %j", path => {
    expect(() => projectFile(path as string)).toThrow(TypeError)
  })

  test.each(["https://example.com/a.png", "HTTP://example.com/a.png", new URL("https://example.com/a.png")])(
    "is an address for %s, not a path",
    source => {
      const made = projectFile(source, {limit: 5})
      expect(fetchedOf(made)).toMatch(/^https?:\/\/example\.com\/a\.png$/i)
      expect(pathOf(made)).toBeUndefined()
      expect(made.limit).toBe(5)
      expect(fetchedOf(JSON.parse(JSON.stringify(made)))).toBeUndefined()
    },
  )

  test("is a path for anything else, not an address", () => {
    for (const path of ["a.png", "https:/a.png", "/https://a", "data:,x"]) {
      expect(fetchedOf(projectFile(path))).toBeUndefined()
      expect(pathOf(projectFile(path))).toBe(path)
    }
    expect(fetchedOf("https://example.com/a.png")).toBeUndefined()
  })

  test.each([0, -1, 1.5, Number.NaN, 2 ** 31])("is refused with a limit of %d bytes", limit => {
    expect(() => projectFile("https://example.com", {limit})).toThrow(TypeError)
  })
})

describe("an element with a file", () => {
  test("keeps it apart from its attributes, also in a copy of the element", () => {
    const shown = file("a.png")
    const source = shown[fileSource]
    const element = h("img", {src: shown, title: "A"})
    expect(element.attrs).toEqual({title: "A"})
    expect(element[fileSource]).toBe(source)
    expect({...element}[fileSource]).toBe(source)
    expect(h("file", {src: new Uint8Array([1])})[fileSource]).toEqual(new Uint8Array([1]))
  })

  test("loses it in JSON and in text, and no text makes one", () => {
    const element = h("img", {src: file("a.png"), title: "A"})
    expect(fileSource in JSON.parse(JSON.stringify(element))).toBe(false)
    expect(renderContent(element)).toBe('<img title="A"/>')
    const [parsed] = parseContent('<img src="a.png" svc.fileSource="a.png"/>')
    expect(typeof parsed === "object" && fileSource in parsed).toBe(false)
  })

  test("reads as its name, without an internal link", () => {
    const hash = "ab".repeat(32)
    expect(textOf(h("file", {src: storedSource(hash), title: "a.pdf"}))).toBe("[a.pdf]")
    expect(textOf(h("img", {src: "https://example.com/a.png"}))).toBe("[img] https://example.com/a.png")
  })
})

test("only an internal link of a stored file names its hash", () => {
  const hash = "ab".repeat(32)
  expect(storedHash(storedSource(hash))).toBe(hash)
  for (const src of [
    hash,
    `internal:svc/files/${hash}/`,
    `internal:svc/files/../${hash}`,
    `internal:svc/files/${hash.slice(2)}`,
    1,
  ])
    expect(storedHash(src)).toBeUndefined()
})
