import type {Locator, Page} from "playwright-core"
import {live} from "../console.ts"

/** An operator who uses only what the console shows. Each click, choice from a list, and typed text is a step. */
export class Operator {
  steps = 0
  readonly page: Page
  readonly #isPhone: boolean

  constructor(page: Page, isPhone: boolean) {
    this.page = page
    this.#isPhone = isPhone
  }

  /** Opens the console at the overview, as from a bookmark, and resets the steps. */
  async begin(): Promise<void> {
    await this.page.goto(`${this.page.url().replace(/#.*/, "")}#/`)
    await this.page.reload()
    await live(this.page)
    this.steps = 0
  }

  async click(target: Locator): Promise<void> {
    this.steps++
    await (this.#isPhone ? target.tap() : target.click())
  }

  async write(field: Locator, text: string): Promise<void> {
    this.steps++
    await field.fill(text)
  }

  async search(field: Locator, text: string): Promise<void> {
    await this.write(field, text)
    await field.press("Enter")
  }

  async choose(list: Locator, option: string | {readonly index: number}): Promise<void> {
    this.steps++
    await list.selectOption(option)
  }

  /** Opens a page from the menu; on a phone, opens the menu first. */
  async goTo(page: string): Promise<void> {
    const menu = this.page.getByRole("button", {name: "Pages", exact: true})
    if (await menu.isVisible()) await this.click(menu)
    await this.click(this.page.getByRole("navigation", {name: "Pages"}).getByRole("link", {name: page, exact: true}))
  }

  link(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole("main").getByRole("link", {name, exact: true}))
  }

  button(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole("main").getByRole("button", {name, exact: true}))
  }

  get question(): Locator {
    return this.page.getByRole("alertdialog")
  }

  confirm(name: string): Promise<void> {
    return this.click(this.question.getByRole("button", {name, exact: true}))
  }

  async reads(text: string | RegExp, within: Locator = this.page.getByRole("main")): Promise<void> {
    await within.getByText(text).first().waitFor()
  }

  /** Waits until a notice says that this was done, with its event. */
  async isTold(title: string, event?: string): Promise<void> {
    const notice = this.page.locator('[data-notice="done"]', {hasText: title})
    await (event === undefined ? notice : notice.locator(`[data-notice-event="${event}"]`)).first().waitFor()
  }
}
