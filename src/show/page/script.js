// Lights up what belongs together, in both directions, and lists beside the C what a line was made for; without it every
// link still works.
(function () {
  const linked = Array.from(document.querySelectorAll('[data-to]'));
  const about = document.getElementById('about');
  const targets = (element) => element.dataset.to.split(' ').filter((id) => id !== '');
  const byId = (id) => document.getElementById(id);
  function list(element) {
    const items = document.createElement('ul');
    targets(element).map(byId).filter((place) => place !== null).forEach((place) => {
      const item = document.createElement('li'), link = document.createElement('a');
      link.href = '#' + place.id;
      link.textContent = place.dataset.label || place.textContent;
      item.append(link);
      items.append(item);
    });
    const title = document.createElement('p');
    title.textContent = 'Line ' + element.id.slice(1) + ' was made for';
    about.replaceChildren(title, items);
  }
  function show(element) {
    document.querySelectorAll('.lit').forEach((each) => each.classList.remove('lit'));
    const together = targets(element).map(byId);
    linked.forEach((each) => { if (element.id !== '' && targets(each).includes(element.id)) together.push(each); });
    together.concat([element]).forEach((each) => { if (each !== null) each.classList.add('lit'); });
    if (element.classList.contains('line')) list(element);
  }
  linked.forEach((element) => {
    element.addEventListener('mouseenter', () => show(element));
    element.addEventListener('focusin', () => show(element));
  });
})();
