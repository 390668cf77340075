/** Follows a login link of the dashboard in a page: answers what it asks, and shows the board. */
export async function followLink(page, link) {
  await page.goto(link)
  const question = page.getByRole('region', { name: /^Log in as / })
  await question.getByRole('button', { name: 'Log in', exact: true }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}
