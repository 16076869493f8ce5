// What a reader would see go wrong on a page: called with the document of a frame, it gives a list of sentences.
// Folded parts are opened first, of many side by side ten, and of several choices all are shown.

function faults(page) {
  const view = page.defaultView, found = new Set(), edge = 0.75
  for (const folded of page.querySelectorAll("details")) {
    const alike = [...folded.parentElement.children].filter(e => e.tagName === "DETAILS")
    folded.open = alike.indexOf(folded) < 10
  }
  for (const choice of page.querySelectorAll("input[type=radio]")) { choice.type = "checkbox"; choice.checked = true }
  const tell = (what, node, more) => found.add(`${what}: ${named(node)}${more ? ` (${more})` : ""}`)
  const seen = r => r.width > 0 && r.height > 0

  if (page.scrollingElement.scrollWidth > view.innerWidth)
    found.add(`the page scrolls sideways: it is ${page.scrollingElement.scrollWidth} pixels wide`)

  const texts = []  // [element, rectangle] of each line of text
  const walker = page.createTreeWalker(page.body, view.NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const text = walker.currentNode, of = text.parentElement
    if (!text.data.trim() || of.closest("title, style, script")) continue
    const range = page.createRange()
    range.selectNodeContents(text)
    for (const line of range.getClientRects()) if (seen(line)) texts.push([of, line])
  }

  // A card is a section or a tile: all that is in it ends in it, or scrolls in it. Of what runs out, the outermost is told.
  const scrolls = once(node => ["auto", "scroll"].includes(style(node).overflowX))
  const held = once((node, card) => node !== card && (scrolls(node) || held(node.parentElement, card)))
  for (const card of page.querySelectorAll("section, .tile")) {
    const end = card.getBoundingClientRect().right + edge, over = new Set()
    for (const node of card.querySelectorAll("*")) {
      const right = node.getBoundingClientRect().right
      if (right <= end || held(node.parentElement, card)) continue
      if (!over.has(node.parentElement)) tell("runs out of its card", node, `by ${(right - end).toFixed(1)} pixels`)
      over.add(node)
    }
    for (const [node, line] of texts)
      if (line.right > end && card.contains(node) && !held(node, card) && !over.has(node))
        tell("text runs out of its card", node, `by ${(line.right - end).toFixed(1)} pixels`)
  }

  for (const picture of page.querySelectorAll("svg")) {
    const frame = picture.getBoundingClientRect(), drawn = picture.viewBox.baseVal
    const scale = drawn && drawn.width ? frame.width / drawn.width : 1
    const labels = [...picture.querySelectorAll("text")].map(e => [e, e.getBoundingClientRect()]).filter(([, r]) => seen(r))
    labels.sort((a, b) => a[1].left - b[1].left)
    labels.forEach(([one, a], n) => {
      if (a.left < frame.left - edge || a.right > frame.right + edge || a.top < frame.top - edge || a.bottom > frame.bottom + edge)
        tell("is cut off by its picture", one)
      const size = parseFloat(style(one).fontSize) * scale
      if (size < 7) tell("is too small to read", one, `${size.toFixed(1)} pixels`)
      for (let m = n + 1; m < labels.length; m++) {
        const [other, b] = labels[m]
        if (b.left > a.right - edge) break
        if (Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2) tell("overlaps another label", one, named(other))
      }
    })
  }

  // HTML stands on the colours of the elements around it; a label on the shapes drawn before it, under its middle.
  const opacity = once(node => parseFloat(style(node).opacity) * (node.parentElement ? opacity(node.parentElement) : 1))
  const ground = once(node => blended(colour(style(node).backgroundColor), node.parentElement ? ground(node.parentElement) : [255, 255, 255]))
  const shapes = once(picture => [...picture.querySelectorAll("rect, path, polygon")].map(shape => {
    const { fill, fillOpacity } = style(shape), [r, g, b, a] = colour(fill)
    return [shape, shape.getBoundingClientRect(), [r, g, b, fill.startsWith("rgb") ? a * fillOpacity * opacity(shape) : 0]]
  }))
  const behind = (node, at) => {
    const picture = node.closest("svg")
    if (!picture) return ground(node)
    const x = (at.left + at.right) / 2, y = (at.top + at.bottom) / 2
    return shapes(picture)
      .filter(([shape, r]) => r.left <= x && x <= r.right && r.top <= y && y <= r.bottom
        && shape.compareDocumentPosition(node) & view.Node.DOCUMENT_POSITION_FOLLOWING)
      .reduce((under, [, , fill]) => blended(fill, under), ground(picture))
  }
  for (const [node, at] of texts) {
    const under = behind(node, at), ink = colour(node.closest("svg") ? style(node).fill : style(node).color)
    const over = blended(ink, under, opacity(node)), [dark, light] = [luminance(over), luminance(under)].sort((a, b) => a - b)
    const ratio = (light + 0.05) / (dark + 0.05)
    if (ratio < 3) tell("has too little contrast", node, `${ratio.toFixed(2)}: ${over.map(Math.round)} on ${under.map(Math.round)}`)
  }
  return [...found]

  function once(make) {
    const known = new Map()
    return (node, ...more) => {
      if (!known.has(node)) known.set(node, make(node, ...more))
      return known.get(node)
    }
  }
  function style(node) {
    return view.getComputedStyle(node)
  }
  function named(node) {
    const id = node.closest("[id]"), kind = node.getAttribute("class")
    const said = node.textContent.trim().replace(/\s+/g, " ").slice(0, 40)
    return `${id ? `#${id.id} ` : ""}${node.tagName.toLowerCase()}${kind ? `.${kind.split(" ").join(".")}` : ""} '${said}'`
  }
  function colour(text) {  // "rgb(1, 2, 3)" or "rgba(1, 2, 3, 0.5)"
    const [r, g, b, a = 1] = text.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0]
    return [r, g, b, a]
  }
  function blended([r, g, b, a], under, by = 1) {
    return [r, g, b].map((c, n) => c * a * by + under[n] * (1 - a * by))
  }
  function luminance(rgb) {
    const [r, g, b] = rgb.map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
}
