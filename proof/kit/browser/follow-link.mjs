/** Follows a login link of the dashboard in a page, whose user may be logged in: answers what the link asks, and shows the board. */
export async function followLink(page, link) {
  await page.goto(link)
  const accept = page
    .getByRole('region', { name: /^Log in as / })
    .getByRole('button', { name: 'Log in', exact: true })
  const main = page.getByRole('navigation', { name: 'Main' })
  await accept.or(main).waitFor()
  if (await accept.isVisible()) await accept.click()
  await main.waitFor()
}
