// The search: which sections of the documentation fit some words, the best first. Endings of words do not matter ("denoise" finds
// "Denoising"), nor does one wrong letter in a word that is found nowhere.
globalThis.searchSections = (() => {
  /** Words that readers use, and those of the documentation. */
  const same = {
    enlarge: 'upscale',
    resize: 'upscale',
    superresolution: 'upscale',
    sharpen: 'deblur',
    unblur: 'deblur',
  };
  const more = {
    setup: 'install',
    noise: 'denoise',
    gpu: 'gpu',
    webgpu: 'gpu',
    parallel: 'threads',
    scratch: 'inpaint',
  };
  const synonyms = { ...same, ...more };

  /** A word without its ending, so that forms of one word are equal. */
  function stem(word) {
    const plain = word.toLowerCase().replace(/^x(?=\d)/, '×');
    return plain.length < 5 ? plain : plain.replace(/(ings?|ation|ers?|ed|es|e|s)$/, '');
  }

  const wordsOf = (text) => text.match(/[\p{L}\p{N}×]+/gu) ?? [];

  /** Whether two words differ by one letter that is changed, missing or too many, or by two that are swapped. */
  function areClose(a, b) {
    if (Math.abs(a.length - b.length) > 1) return false;
    let i = 0;
    while (i < a.length && a[i] === b[i]) i++;
    const [restA, restB] = [a.slice(i), b.slice(i)];
    if (restA.slice(1) === restB.slice(1) || restA.slice(1) === restB || restA === restB.slice(1)) return true;
    return restA.length > 1 && restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
  }

  /** The sections with their words as stems; made once. */
  let prepared;
  function prepare(index) {
    const pages = new Map();
    for (const section of index) {
      const page = section.address.split('#')[0];
      pages.set(page, [...(pages.get(page) ?? []), section]);
    }
    const sections = index.map((section) => {
      const { title, heading, address } = section;
      // A name of the reference is several words: learnedDictionary.
      const parts = (text) => wordsOf(text.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')).map(stem);
      const [inTitle, inHeading] = [parts(title), parts(heading)];
      // The top of a page stands for all of it.
      const own = heading === '' ? pages.get(address) : [section];
      const text = new Set(own.flatMap(({ words }) => wordsOf(words).map(stem)));
      return {
        section,
        name: title.toLowerCase(),
        inTitle,
        inHeading,
        text,
        isGuide: !/^(api|examples)\//.test(address),
      };
    });
    // Wrong letters are looked for in titles and headings alone, where the words that matter are.
    const known = new Set(sections.flatMap(({ inTitle, inHeading }) => [...inTitle, ...inHeading]));
    return { index, sections, known };
  }

  /** The stems of a query: one that is found nowhere is replaced by those that are close to it, or left out. */
  function meant(query) {
    const { sections, known } = prepared;
    const given = wordsOf(query.toLowerCase());
    return given.flatMap((word) => {
      const root = stem(word);
      const names = { word, roots: [root, ...(synonyms[word] ? [stem(synonyms[word])] : [])] };
      const isKnown = sections.some(
        ({ text, inTitle, inHeading, name }) =>
          name.startsWith(word) || [...inTitle, ...inHeading, ...text].some((each) => each.startsWith(root)),
      );
      if (isKnown || synonyms[word]) return [names];
      const close = root.length < 4 ? [] : [...known].filter((each) => areClose(each, root));
      return close.length > 0 ? [{ word, roots: close }] : given.length > 1 && root.length < 4 ? [] : [names];
    });
  }

  /** How well a section fits a word: the exact name of the reference first, then titles of guides, headings, and the text. */
  function scoreOf({ name, inTitle, inHeading, text, isGuide }, { word, roots }) {
    const starts = (list) => roots.some((root) => list.some((each) => each.startsWith(root)));
    const [guide, exact] = [isGuide ? 30 : 0, name === word || name === `${word}()`];
    if (isGuide && roots.some((root) => inTitle[0] === root)) return 150;
    if (exact) return 120;
    if (roots.some((root) => inTitle.includes(root))) return 60 + guide;
    if (roots.some((root) => inHeading.includes(root))) return 40 + guide;
    if (starts(inTitle) || name.startsWith(word)) return 30 + guide;
    if (starts(inHeading)) return 20 + guide;
    return starts([...text]) ? 1 + guide / 10 : 0;
  }

  return (index, query) => {
    if (prepared?.index !== index) prepared = prepare(index);
    const words = meant(query);
    if (words.length === 0) return [];
    const whole = query.trim().toLowerCase();
    const ranked = prepared.sections
      .map((each) => {
        const scores = words.map((word) => scoreOf(each, word));
        const isTop = each.section.heading === '';
        // The name of a page comes first, such as ght/npy. Every word has to occur. The top of a page comes before its sections.
        const own = (isTop ? 5 : 0) + (isTop && each.name === whole && words.length > 1 ? 200 : 0);
        const points = scores.includes(0) ? 0 : scores.reduce((a, b) => a + b) + own;
        return { section: each.section, points };
      })
      .filter(({ points }) => points > 0);
    return ranked.sort((a, b) => b.points - a.points).map(({ section }) => section);
  };
})();
