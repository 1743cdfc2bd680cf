// Search, menu, theme and copy buttons. Without this file every page can still be read.
(() => {
  const root = document.documentElement;
  const find = (selector) => document.querySelector(selector);

  // Light or dark: the system decides until the reader does.
  const dark = matchMedia('(prefers-color-scheme: dark)');
  find('.theme-button').addEventListener('click', () => {
    const now = root.dataset.theme ?? (dark.matches ? 'dark' : 'light');
    root.dataset.theme = now === 'dark' ? 'light' : 'dark';
    localStorage.setItem('theme', root.dataset.theme);
  });

  // The menu on narrow screens.
  const menuButton = find('.menu-button');
  menuButton?.addEventListener('click', () => {
    const open = document.body.classList.toggle('menu-open');
    menuButton.setAttribute('aria-expanded', String(open));
  });
  find('.menu [aria-current]')?.scrollIntoView({ block: 'nearest' });

  // Before and after: the control over the pictures moves the line between them.
  for (const pictures of document.querySelectorAll('.before-after')) {
    const control = pictures.querySelector('input');
    control.addEventListener('input', () => pictures.style.setProperty('--line', `${control.value}%`));
  }

  // A picture of the gallery, enlarged.
  const large = find('dialog.large');
  for (const link of document.querySelectorAll('.enlarge')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      const picture = large.querySelector('img');
      picture.src = link.href;
      picture.alt = link.getAttribute('aria-label').replace('Enlarge: ', '');
      large.showModal();
    });
  }
  large?.addEventListener('click', ({ target }) => {
    if (target === large) large.close();
  });

  for (const code of document.querySelectorAll('.code')) {
    const button = document.createElement('button');
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      // What is said beside a command is no part of it.
      const text = code.querySelector('code').cloneNode(true);
      for (const aside of text.querySelectorAll('.aside')) aside.remove();
      await navigator.clipboard.writeText(text.textContent.replace(/ +$/gm, ''));
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1500);
    });
    code.append(button);
  }

  // Search: the index is a file of the site, read when it is first needed, so that no server is asked.
  const dialog = find('dialog.search');
  const input = dialog.querySelector('input');
  const list = dialog.querySelector('ol');
  const status = dialog.querySelector('.status');

  function loadIndex() {
    if (window.searchIndex || find('#search-index')) return;
    const script = document.createElement('script');
    script.id = 'search-index';
    script.src = `${root.dataset.root}assets/search-index.js`;
    script.addEventListener('load', search);
    document.head.append(script);
  }

  /** The words around the first place where one is found. */
  function excerpt({ words }, [word]) {
    const from = Math.max(0, words.toLowerCase().indexOf(word) - 40);
    const to = from + 140;
    return `${from > 0 ? '…' : ''}${words.slice(from, to)}${to < words.length ? '…' : ''}`;
  }

  function search() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.replaceChildren();
    status.textContent = '';
    if (words.length === 0 || !window.searchIndex) return;
    const ranked = globalThis.searchSections(window.searchIndex, input.value);
    // No page fills the list by itself.
    const perPage = new Map();
    const listed = ranked.filter(({ address }) => {
      const page = address.split('#')[0];
      perPage.set(page, (perPage.get(page) ?? 0) + 1);
      return perPage.get(page) <= 2;
    });
    status.textContent = ranked.length === 0 ? 'Nothing was found.' : `${ranked.length} found`;
    for (const section of listed.slice(0, 20)) {
      const item = document.createElement('li');
      const link = document.createElement('a');
      const title = document.createElement('strong');
      const text = document.createElement('span');
      link.href = root.dataset.root + section.address;
      title.textContent = section.heading === '' ? section.title : `${section.title} › ${section.heading}`;
      text.textContent = excerpt(section, words);
      link.append(title, text);
      item.append(link);
      list.append(item);
    }
  }

  function open() {
    loadIndex();
    dialog.showModal();
    input.select();
  }

  find('.search-button').addEventListener('click', open);
  input.addEventListener('input', search);
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog || target.closest('a')) dialog.close();
  });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  document.addEventListener('keydown', (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (!typing && (event.key === '/' || (event.key === 'k' && (event.ctrlKey || event.metaKey)))) {
      event.preventDefault();
      open();
    }
  });
})();
